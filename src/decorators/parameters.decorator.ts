import * as nest from '@nestjs/common';
import { type ExecutionContext, type PipeTransform, type Type, createParamDecorator } from '@nestjs/common';
import { type Attempt, type Envelope, InvalidOptionError } from '#engine';

type Pipe = PipeTransform | Type<PipeTransform>;

/** A schema of the Standard Schema family, for `StandardSchemaValidationPipe` (Nest 12), and pipes. */
export interface PayloadOptions {
  readonly schema?: { readonly '~standard': object };
  readonly pipes?: Pipe[];
}

/*
 * These decorators work with the module's option `enhancers`. A parameter without a decorator gets what it gets anyway:
 * the first the envelope, the second the attempt; pipes pass it by.
 */

/**
 * The payload of the envelope, or a property of it; pipes check and transform it. A `ValidationPipe` validates it against
 * the type of the parameter, as it does a `@Body()`. The envelope keeps its payload as it is.
 * @throws InvalidOptionError for a schema with Nest 11
 */
export function Payload(...pipes: Pipe[]): ParameterDecorator;
export function Payload(property: string, ...pipes: Pipe[]): ParameterDecorator;
export function Payload(options: PayloadOptions): ParameterDecorator;
export function Payload(...args: unknown[]): ParameterDecorator {
  const schema = (args[0] as PayloadOptions | undefined)?.schema;
  if (schema !== undefined && !('StandardSchemaValidationPipe' in nest))
    throw new InvalidOptionError('@Payload.schema', 'left out: it needs Nest 12', schema);
  return (nest.Body as (...body: unknown[]) => ParameterDecorator)(...args);
}

const headersOf = createParamDecorator((name: string | undefined, context: ExecutionContext) => {
  const { headers } = context.getArgByIndex<Envelope>(0);
  return name === undefined ? headers : Object.hasOwn(headers, name) ? headers[name] : undefined;
});

/** The header of this very name, or all of them. */
export function Headers(...pipes: Pipe[]): ParameterDecorator;
export function Headers(name: string, ...pipes: Pipe[]): ParameterDecorator;
export function Headers(...args: unknown[]): ParameterDecorator {
  return (headersOf as (...all: unknown[]) => ParameterDecorator)(...args);
}

/** The {@link Attempt}. */
export const Ctx: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.getArgByIndex<Attempt>(1),
);

/** The {@link Envelope} itself. */
export const EnvelopeParam: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.getArgByIndex<Envelope>(0),
);
