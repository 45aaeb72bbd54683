import { Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { SedaBusModule } from '@resolvingarchitecture/nestjs-seda-bus';
import { busOptions } from './bus.options.js';
import { HealthModule } from './health/health.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { Settings } from './settings/settings.js';
import { SettingsModule } from './settings/settings.module.js';
import { StatsModule } from './stats/stats.module.js';

@Module({
  imports: [
    SedaBusModule.forRootAsync({
      imports: [SettingsModule],
      inject: [ConfigService, Settings],
      useFactory: busOptions,
    }),
    SettingsModule,
    OrdersModule,
    ImportsModule,
    HealthModule,
    StatsModule,
  ],
})
export class AppModule {}
