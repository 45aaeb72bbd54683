import { Injectable } from '@nestjs/common';
import type { StageOptions } from '#engine';
import { SedaModuleError } from './errors.js';

const HANDLERS = Symbol.for('seda:handlers');

/** What `@Stage` and `@DeadLetter` write. */
export type HandlerMetadata =
  | { readonly kind: 'stage'; readonly name: string | undefined; readonly options: StageOptions }
  | { readonly kind: 'dead-letter'; readonly source: string; readonly keep: boolean; readonly options: StageOptions };

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
  const earlier = (Reflect.getOwnMetadata(HANDLERS, target, key) ?? []) as readonly HandlerMetadata[];
  Reflect.defineMetadata(HANDLERS, [...earlier, metadata], target, key);
}

/** Reads what the decorators wrote. */
@Injectable()
export class StageMetadataAccessor {
  /**
   * The decorated methods of a class and of those it extends, by name or by symbol. A method that a subclass overrides
   * is the subclass's. Nothing is called, and no property's value is read. Anything but an object has none.
   */
  decoratedMethods(prototype: unknown): DecoratedMethod[] {
    const seen = new Set<PropertyKey>();
    const found: DecoratedMethod[] = [];
    for (let each = prototype; isObject(each); each = Object.getPrototypeOf(each) as unknown) {
      for (const key of Reflect.ownKeys(each)) {
        if (seen.has(key)) continue;
        seen.add(key);
        const decorations = Reflect.getOwnMetadata(HANDLERS, each, key) as readonly HandlerMetadata[] | undefined;
        for (const metadata of decorations ?? []) found.push({ key, metadata });
      }
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
