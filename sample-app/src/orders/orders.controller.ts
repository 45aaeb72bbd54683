import { Body, Controller, Get, HttpCode, Param, Post, Res, UseFilters } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { TryLaterFilter } from '../http/try-later.filter.js';
import type { OrderRecord } from './order-book.js';
import { OrderRequestPipe } from './order-request.pipe.js';
import type { OrderRequest } from './order.js';
import { OrdersService } from './orders.service.js';

@Controller('orders')
@UseFilters(TryLaterFilter)
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  @HttpCode(202)
  async place(
    @Body(OrderRequestPipe) request: OrderRequest,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<OrderRecord> {
    const order = await this.orders.place(request);
    response.setHeader('Location', `/orders/${order.id}`);
    return order;
  }

  @Get(':id')
  find(@Param('id') id: string): OrderRecord {
    return this.orders.find(id);
  }
}
