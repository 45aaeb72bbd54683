import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import { SEDA_BUS_NAME } from './seda-bus.tokens.js';

/** A module as Nest keeps it. */
export type NestModule = ModulesContainer extends Map<string, infer Each> ? Each : never;

/** The modules that provide a bus. */
export function rootsOf(modules: readonly NestModule[]): NestModule[] {
  return modules.filter(({ providers }) => providers.has(SEDA_BUS_NAME));
}

export function busNameOf({ providers }: NestModule): string {
  return providers.get(SEDA_BUS_NAME)?.instance as string;
}

/** The names of all buses. */
export function busNames(modules: readonly NestModule[]): string[] {
  return [...new Set(rootsOf(modules).map(busNameOf))];
}

/** The module that a `ModuleRef` belongs to; `undefined` for one of another application, and for anything else. */
export function moduleOf(modules: ModulesContainer, moduleRef: ModuleRef): NestModule | undefined {
  return [...modules.values()].find(({ providers }) => providers.get(ModuleRef)?.instance === moduleRef);
}

/** The module and all that it imports, and what they import, each once. */
export function reachableFrom(module: NestModule): NestModule[] {
  const found = new Set([module]);
  for (const each of found) for (const imported of each.imports) found.add(imported);
  return [...found];
}
