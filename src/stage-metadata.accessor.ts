import { Injectable } from '@nestjs/common';
import type { StageOptions } from '#engine';
import { SedaModuleError } from './errors.js';

const HANDLERS = Symbol.for('seda:handlers');

/** What `@Stage` and `@DeadLetter` write. */
export type HandlerMetadata =
  | ({ readonly kind: 'stage'; readonly name: string | undefined } & CommonMetadata)
  | ({ readonly kind: 'dead-letter'; readonly source: string; readonly keep: boolean } & CommonMetadata);

interface CommonMetadata {
  /** The name of the bus. */
  readonly bus: string;
  readonly options: StageOptions;
}

/** One decoration of one method. */
export interface DecoratedMethod {
  readonly key: PropertyKey;
  readonly metadata: HandlerMetadata;
}

/**
 * Notes a decoration on the class, not on the function: a decorator above that replaces the method does not lose it.
 * @throws SedaModuleError for what is not a method of instances
 */
export function addHandlerMetadata(
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  metadata: HandlerMetadata,
): void {
  if (typeof target === 'function' || typeof descriptor?.value !== 'function') {
    const decorator = metadata.kind === 'stage' ? 'Stage' : 'DeadLetter';
    throw new SedaModuleError(
      'SEDA_HANDLER_NOT_A_METHOD',
      `@${decorator} on '${String(key)}' has no effect: decorate a method that instances of the class have.`,
    );
  }
  Reflect.defineMetadata(HANDLERS, [...decorationsOf(target), { key, metadata }], target);
}

function decorationsOf(prototype: object): readonly DecoratedMethod[] {
  return (Reflect.getOwnMetadata(HANDLERS, prototype) ?? []) as readonly DecoratedMethod[];
}

/** Reads what the decorators wrote. */
@Injectable()
export class StageMetadataAccessor {
  /**
   * The decorated methods of a class and of those it extends, by name or by symbol. A method that a subclass overrides
   * is the subclass's. Nothing is called, and no property's value is read. Anything but an object has none.
   */
  decoratedMethods(prototype: unknown): DecoratedMethod[] {
    const found: DecoratedMethod[] = [];
    const below: object[] = [];
    for (let each = prototype; isObject(each); each = Object.getPrototypeOf(each) as unknown) {
      for (const decorated of decorationsOf(each)) {
        if (!below.some((subclass) => Object.hasOwn(subclass, decorated.key))) found.push(decorated);
      }
      below.push(each);
    }
    return found;
  }

  /** The name of the class a prototype belongs to. */
  classNameOf(prototype: object): string {
    const made = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value as { name?: unknown } | undefined;
    return typeof made?.name === 'string' && made.name !== '' ? made.name : 'an anonymous class';
  }
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
