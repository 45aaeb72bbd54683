import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Settings, settingsFrom } from './settings.js';

/** The environment, and a file `.env` if there is one. */
@Module({
  imports: [ConfigModule.forRoot()],
  providers: [
    {
      provide: Settings,
      inject: [ConfigService],
      useFactory: (config: ConfigService) => settingsFrom((name) => config.get<string>(name)),
    },
  ],
  exports: [Settings, ConfigModule],
})
export class SettingsModule {}
