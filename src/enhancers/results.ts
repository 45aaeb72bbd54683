import { type HttpException, HttpStatus } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Consumer } from '#engine';
import { FORBIDDEN_MESSAGE } from '../internals/nest-internals.js';

/** The last value of an Observable, `undefined` if it ends without one; anything else as it is. */
export function lastOf(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}

/** Subscribes to what the handler returns, if it is an Observable: nothing would happen otherwise. */
export function subscribing(call: Consumer): Consumer {
  return (envelope, attempt) => lastOf(call(envelope, attempt));
}

/** Whether this is what Nest throws when a guard answers `false`. */
export function isRefusal(error: unknown): boolean {
  // Not by its class: with a second copy of Nest on the path there are two.
  const { message, getStatus } = (error ?? {}) as Partial<HttpException>;
  return message === FORBIDDEN_MESSAGE && getStatus?.call(error) === HttpStatus.FORBIDDEN;
}
