import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TryLaterError } from './try-later.error.js';

/** Overload is no fault: 503, and when to come back. */
@Catch(TryLaterError)
export class TryLaterFilter implements ExceptionFilter<TryLaterError> {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: TryLaterError, host: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = host.switchToHttp().getResponse();
    const statusCode = HttpStatus.SERVICE_UNAVAILABLE;
    httpAdapter.setHeader(response, 'Retry-After', String(error.retryAfterSeconds));
    httpAdapter.reply(response, { statusCode, error: 'Service Unavailable', message: error.message }, statusCode);
  }
}
