import { isProxy } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Consumer, StageOptions } from '#engine';
import { SedaModuleError } from './errors.js';
import { HandlerConsumers } from './handler.consumers.js';
import type { FeatureDeclaration, StageFeature } from './seda-bus.options.js';
import { SEDA_FEATURES } from './seda-bus.tokens.js';
import { type DecoratedMethod, StageMetadataAccessor, isObject } from './stage-metadata.accessor.js';

export type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Which modules are meant. */
export type InModule = (module: Wrapper['host']) => boolean;

const everywhere: InModule = () => true;

/** What one decoration says of one class. */
export interface HandlerDeclaration {
  /** `Class.method`. */
  readonly owner: string;
  readonly stage: string;
  /** The name of its bus. */
  readonly bus: string;
  /** The stage whose dead letters these are. */
  readonly source: string | undefined;
  readonly keep: boolean;
  readonly options: StageOptions;
}

/** A declaration and the provider that handles. */
export interface Handler extends HandlerDeclaration {
  /** Calls the method as it is then, on the provider. */
  readonly consumer: Consumer;
}

/** A provider or controller with decorated methods. */
export interface Host {
  readonly wrapper: Wrapper;
  /** Whether there is one instance for the whole application. */
  readonly single: boolean;
  /** Its module and its token, for an error's text. */
  readonly place: string;
  /** `undefined` while a factory has not run, and for what is made anew for each request or each consumer. */
  readonly instance: object | undefined;
  readonly prototype: object;
  readonly methods: readonly DecoratedMethod[];
}

/**
 * Finds the handlers of an application: on providers and controllers, by class, by value and by factory. Aliases, repeated
 * imports and proxies of a provider add none.
 */
@Injectable()
export class StageExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly metadata: StageMetadataAccessor,
    private readonly consumers: HandlerConsumers,
  ) {}

  /** The stages that `forFeature`s declare on a bus, in all modules or in some. */
  features(bus: string, inModule: InModule = everywhere): StageFeature[] {
    return this.discovery
      .getProviders()
      .filter(({ token, host }) => token === SEDA_FEATURES && inModule(host))
      .map(({ instance }) => instance as FeatureDeclaration)
      .filter((declaration) => declaration.bus === bus)
      .flatMap(({ stages }) => stages);
  }

  /** What is known of a bus's handlers before anything was instantiated: all but what factories will make. */
  declared(bus: string): HandlerDeclaration[] {
    const declarations = this.hosts().flatMap((host) => host.methods.map((method) => this.declaration(host, method)));
    return declarations.filter((declaration) => declaration.bus === bus);
  }

  /**
   * The handlers of a bus in fresh modules. Only once every provider of theirs is instantiated.
   * @param buses the names of all there are
   * @param known the modules whose handlers are registered, and the fresh ones
   * @throws SedaModuleError for a handler that is there twice, or on a bus that does not exist
   */
  handlers(bus: string, buses: readonly string[], known: InModule, fresh: InModule): Handler[] {
    const hosts = withoutRepeats(this.hosts().filter(({ wrapper }) => known(wrapper.host)));
    const classes = new Map<object, Host>();
    for (const host of hosts) {
      this.requireOneProvider(host, classes.get(host.prototype));
      classes.set(host.prototype, host);
    }
    return hosts.filter(({ wrapper }) => fresh(wrapper.host)).flatMap((host) => this.handlersOf(host, bus, buses));
  }

  private handlersOf(host: Host, bus: string, buses: readonly string[]): Handler[] {
    const stages = new Set<string>();
    const declarations = host.methods.map((method) => ({ method, declaration: this.declaration(host, method) }));
    for (const { declaration } of declarations) requireBus(declaration, buses);
    const here = declarations.filter(({ declaration }) => declaration.bus === bus);
    return here.map(({ method, declaration }) => {
      const id = `${String(method.key)} ${declaration.stage}`;
      if (stages.has(id)) throw handlerTwice(declaration, 'is decorated twice with it. Decorate it once.');
      stages.add(id);
      return { ...declaration, consumer: this.consumers.consumerOf(host, method.key, declaration) };
    });
  }

  private hosts(): Host[] {
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()]
      .map((wrapper) => this.hostOf(wrapper))
      .filter((host) => host !== undefined);
  }

  private hostOf(wrapper: Wrapper): Host | undefined {
    const single = isSingle(wrapper);
    const instance: unknown = single ? wrapper.instance : undefined;
    const prototype: unknown = isObject(instance)
      ? Object.getPrototypeOf(instance)
      : classOf(wrapper, single)?.prototype;
    const methods = this.metadata.decoratedMethods(prototype);
    if (methods.length === 0) return undefined;
    return {
      wrapper,
      single,
      place: placeOf(wrapper),
      instance: instance as object | undefined,
      prototype: prototype as object,
      methods,
    };
  }

  private declaration({ prototype }: Host, { key, metadata }: DecoratedMethod): HandlerDeclaration {
    const className = this.metadata.classNameOf(prototype);
    const method = typeof key === 'symbol' ? (key.description ?? '') : String(key);
    const owner = `${className}.${method}`;
    const { bus, options } = metadata;
    if (metadata.kind === 'stage')
      return { owner, bus, stage: metadata.name ?? owner, source: undefined, keep: false, options };
    const { source, keep } = metadata;
    return { owner, bus, stage: `${source}.dead-letters`, source, keep, options };
  }

  private requireOneProvider(host: Host, other: Host | undefined): void {
    if (other === undefined) return;
    const declaration = this.declaration(host, host.methods[0] as DecoratedMethod);
    const places = [other, host].map(({ place }) => place).join(' and ');
    const fix = 'Provide the class in one module, export it there, and import that module in the other.';
    throw handlerTwice(declaration, `is provided by two instances of its class, in ${places}. ${fix}`);
  }
}

/** The same instance by another token, an alias, is no other host, and a proxy of one neither. */
function withoutRepeats(hosts: readonly Host[]): Host[] {
  const instances = new Set<object>();
  const single = hosts.filter(({ instance }) => {
    if (instance === undefined) return true;
    const isNew = !instances.has(instance);
    instances.add(instance);
    return isNew;
  });
  return single.filter((host, index) => {
    if (!isProxy(host.instance)) return true;
    const original = single.findIndex(({ prototype }) => prototype === host.prototype);
    const plain = single.some(({ prototype, instance }) => prototype === host.prototype && !isProxy(instance));
    return !plain && original === index;
  });
}

/** Whether there is one instance for the whole application. */
function isSingle(wrapper: Wrapper): boolean {
  return wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
}

/** What a factory makes anew each time is told by its token. */
function classOf({ metatype, inject, isAlias, token }: Wrapper, single: boolean): { prototype?: unknown } | undefined {
  const madeByFactory = inject !== undefined && inject !== null;
  const made: unknown = !madeByFactory ? metatype : single || isAlias ? undefined : token;
  return typeof made === 'function' ? made : undefined;
}

function placeOf({ host, name }: Wrapper): string {
  return `${host?.name ?? 'an unknown module'} (as '${String(name)}')`;
}

function handlerTwice({ owner, stage }: HandlerDeclaration, why: string): SedaModuleError {
  return new SedaModuleError('SEDA_HANDLER_TWICE', `The handler ${owner} of stage '${stage}' ${why}`);
}

function requireBus({ owner, stage, bus }: HandlerDeclaration, buses: readonly string[]): void {
  if (buses.includes(bus)) return;
  throw unknownBus(`The handler ${owner} of stage '${stage}'`, bus, buses);
}

/** What names a bus, by whatever means, that no root module provides. */
export function unknownBus(who: string, bus: string, buses: readonly string[]): SedaModuleError {
  const known = buses.map((name) => `'${name}'`).join(', ');
  const message = buses.includes(bus)
    ? `${who} cannot reach the bus '${bus}', whose root module is not global. Give it forFeature(stages, { imports: [root] }).`
    : `${who} is for the bus '${bus}', which no SedaBusModule.forRoot provides. There is: ${known || 'none'}.`;
  return new SedaModuleError('SEDA_UNKNOWN_BUS', message);
}
