import type { PipeTransform, Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '../internals/nest-internals.js';

/** A guard, pipe, interceptor or filter as a decorator was given it. */
type Enhancer = Type | object;

/** What Nest's parameter decorators write for one parameter. */
interface DecoratedParameter {
  readonly pipes?: readonly (PipeTransform | Type<PipeTransform>)[];
}

/** What stands on a handler, on its class and on its parameters, inherited decorations included. */
export interface Decorations {
  /** Guards, interceptors and filters. */
  readonly around: readonly Enhancer[];
  readonly pipes: readonly Enhancer[];
  /** Pipes of the method itself: they are meant for this handler and for nothing else of the class. */
  readonly ownPipes: readonly Enhancer[];
  readonly parameters: readonly DecoratedParameter[];
}

/** Reads what is written on classes; no property of an instance is read, no getter called. */
export function decorationsOf(prototype: object, key: PropertyKey): Decorations {
  const owner = prototype.constructor;
  const method = methodOf(prototype, key);
  const both = (name: string): Enhancer[] => [...listOf(name, owner), ...listOf(name, method)];
  return {
    around: [GUARDS_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA].flatMap(both),
    pipes: both(PIPES_METADATA),
    ownPipes: listOf(PIPES_METADATA, method),
    parameters: parametersOf(owner, key),
  };
}

/** All that Nest has to make an instance of. */
export function enhancerClassesOf({ around, pipes, parameters }: Decorations): Type[] {
  const all = [...around, ...pipes, ...parameters.flatMap((parameter) => parameter.pipes ?? [])];
  return all.filter((each): each is Type => typeof each === 'function');
}

/** The decorated method, which a test's spy on an instance does not hide. */
export function methodOf(prototype: object, key: PropertyKey): object {
  for (let each: unknown = prototype; each !== null; each = Object.getPrototypeOf(each)) {
    const found: unknown = Object.getOwnPropertyDescriptor(each, key)?.value;
    if (typeof found === 'function') return found;
  }
  return () => undefined;
}

function listOf(name: string, target: object): readonly Enhancer[] {
  return ((Reflect.getMetadata(name, target) ?? []) as (Enhancer | undefined)[]).filter((each) => each !== undefined);
}

function parametersOf(owner: object, key: PropertyKey): DecoratedParameter[] {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, owner, key as string | symbol);
  return Object.values((metadata ?? {}) as Record<string, DecoratedParameter>);
}
