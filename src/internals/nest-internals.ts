/**
 * What Nest 11 and 12 both have and do not export from their front doors. Nothing else of theirs is reached into, and
 * nothing but this file does so.
 */
export {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
export { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
export { ExternalExceptionFilterContext } from '@nestjs/core/exceptions/external-exception-filter-context.js';
export { FORBIDDEN_MESSAGE } from '@nestjs/core/guards/constants.js';
export { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
export { STATIC_CONTEXT } from '@nestjs/core/injector/constants.js';
export { REQUEST_CONTEXT_ID } from '@nestjs/core/router/request/request-constants.js';
