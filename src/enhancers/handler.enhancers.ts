import type { ApplicationConfig, ContextId } from '@nestjs/core';
import type { Consumer } from '#engine';
import type { HandlerDeclaration, Host } from '../stage.explorer.js';
import { DecorationReader, type Decorations } from './decorations.js';
import { requireUsable } from './enhancer.checks.js';
import type { EnhancerSettings } from './enhancers.options.js';
import { GlobalEnhancers } from './global-enhancers.js';
import { NestPipeline } from './nest-pipeline.js';

/** How one handler is called through Nest. */
export interface Pipeline {
  /** The call for the whole application; `undefined` if parts of it are made anew for each attempt. */
  readonly lasting: Consumer | undefined;
  /** The call of one attempt. */
  consumerFor(instance: object, contextId: ContextId): Consumer | Promise<Consumer>;
}

/** Tells the handlers that run through Nest's guards, pipes, interceptors and filters from those that are called directly. */
export class HandlerEnhancers {
  private readonly globals: GlobalEnhancers;
  private readonly reader = new DecorationReader();
  private readonly ignored = new Set<string>();
  private readonly idle = new Set<string>();

  constructor(
    private readonly settings: EnhancerSettings,
    application: ApplicationConfig,
  ) {
    this.globals = new GlobalEnhancers(application, settings?.global ?? false);
  }

  /**
   * `undefined` for a handler that is called directly.
   * @throws SedaModuleError for decorations that Nest would leave out
   */
  pipelineOf(host: Host, key: PropertyKey, declaration: HandlerDeclaration): Pipeline | undefined {
    const decorations = this.reader.decorationsOf(host.prototype, key);
    if (this.settings === undefined) {
      if (isDecorated(decorations)) this.ignored.add(declaration.owner);
      return undefined;
    }
    const { around, ownPipes, parameters } = decorations;
    if (ownPipes.length > 0 && parameters.length === 0) this.idle.add(declaration.owner);
    if (around.length + parameters.length === 0 && !this.globals.around) return undefined;
    requireUsable(host, key, declaration, decorations);
    return this.pipeline(host, key);
  }

  /** What to warn of since the last time: decorations that have no effect. */
  takeWarnings(): string[] {
    const warnings = [
      ...(this.ignored.size > 0 ? [ignoredWarning(this.ignored)] : []),
      ...(this.idle.size > 0 ? [idleWarning(this.idle)] : []),
    ];
    this.ignored.clear();
    this.idle.clear();
    return warnings;
  }

  private pipeline(host: Host, key: PropertyKey): Pipeline {
    const { globals } = this;
    const pipeline = new NestPipeline(host, key, globals.config());
    if (!globals.scoped) {
      return {
        lasting: host.instance && pipeline.consumerOn(host.instance),
        consumerFor: (instance, contextId) => pipeline.consumerOn(instance, contextId),
      };
    }
    return {
      lasting: undefined,
      consumerFor: async (instance, contextId) =>
        new NestPipeline(host, key, await globals.configFor(contextId)).consumerOn(instance, contextId),
    };
  }
}

function isDecorated({ around, pipes, parameters }: Decorations): boolean {
  return around.length + pipes.length + parameters.length > 0;
}

function ignoredWarning(owners: Iterable<string>): string {
  return (
    `Guards, pipes, interceptors, filters and parameter decorators have no effect on ${[...owners].join(', ')}. ` +
    'Let them apply with SedaBusModule.forRoot({ enhancers: true }).'
  );
}

function idleWarning(owners: Iterable<string>): string {
  return (
    `The pipes of ${[...owners].join(', ')} have nothing to work on: a pipe is for decorated parameters. ` +
    'Decorate one, with @Payload() for instance.'
  );
}
