import { Module } from '@nestjs/common';
import { SedaBusModule } from '@resolvingarchitecture/nestjs-seda-bus';
import { SettingsModule } from '../settings/settings.module.js';
import { OrderBook } from './order-book.js';
import { OrderFailures } from './order.failures.js';
import { OrderPipeline } from './order.pipeline.js';
import { VALIDATE } from './order.stages.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { PaymentProvider } from './payment-provider.js';
import { PriceList } from './price-list.js';

@Module({
  imports: [SettingsModule, SedaBusModule.forFeature([{ name: VALIDATE }])],
  controllers: [OrdersController],
  providers: [OrdersService, OrderPipeline, OrderFailures, OrderBook, PriceList, PaymentProvider],
  exports: [OrderBook],
})
export class OrdersModule {}
