import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type ImportProgress, ImportsService } from './imports.service.js';

@Controller('imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post('cities')
  @HttpCode(202)
  start(@Res({ passthrough: true }) response: ServerResponse): { readonly id: string } {
    const { id } = this.imports.start();
    response.setHeader('Location', `/imports/${id}`);
    return { id };
  }

  @Get(':id')
  progress(@Param('id') id: string): ImportProgress {
    return this.imports.progress(id);
  }
}
