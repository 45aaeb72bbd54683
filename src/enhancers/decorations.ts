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

/** What stands on a class, or on a method. */
interface Written {
  readonly around: readonly Enhancer[];
  readonly pipes: readonly Enhancer[];
}

const NOTHING: Written = Object.freeze({ around: Object.freeze([]), pipes: Object.freeze([]) });

/** Reads what is written on classes; no property of an instance is read, no getter called. */
export class DecorationReader {
  /** A class with many handlers is read once. */
  private readonly ofClasses = new WeakMap<object, Written>();

  decorationsOf(prototype: object, key: PropertyKey): Decorations {
    const owner = prototype.constructor;
    const ofClass = this.ofClass(owner);
    const method = methodOf(prototype, key);
    const ofMethod = Reflect.getOwnMetadataKeys(method).length === 0 ? NOTHING : writtenOn(method);
    return {
      around: [...ofClass.around, ...ofMethod.around],
      pipes: [...ofClass.pipes, ...ofMethod.pipes],
      ownPipes: ofMethod.pipes,
      parameters: parametersOf(owner, key),
    };
  }

  private ofClass(owner: object): Written {
    const known = this.ofClasses.get(owner);
    if (known !== undefined) return known;
    const written = writtenOn(owner);
    this.ofClasses.set(owner, written);
    return written;
  }
}

function writtenOn(target: object): Written {
  return {
    around: [GUARDS_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA].flatMap((name) =>
      listOf(name, target),
    ),
    pipes: listOf(PIPES_METADATA, target),
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
