import { Injectable } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { InvalidOptionError, type SedaBus } from '#engine';
import { DEFAULT_BUS } from './seda-bus.tokens.js';

export interface DirectoryEntry {
  readonly bus: SedaBus;
  /** Whether attempts of this stage start in this process. */
  consumes(stage: string): boolean;
  /** Looks at what a module that was loaded lazily declares for this bus; what it returns registers it. */
  explore(moduleRef: ModuleRef): () => string[];
}

/** The buses of one application by name. */
@Injectable()
export class BusDirectory {
  private readonly entries = new Map<string, DirectoryEntry>();

  get all(): Iterable<DirectoryEntry> {
    return this.entries.values();
  }

  add(name: string, entry: DirectoryEntry): void {
    this.entries.set(name, entry);
  }

  /** @throws InvalidOptionError naming the buses there are */
  require(name: string = DEFAULT_BUS): DirectoryEntry {
    const entry = this.entries.get(name);
    if (entry !== undefined) return entry;
    throw new InvalidOptionError(
      'bus',
      `the name of a bus: ${[...this.entries.keys()].join(', ') || 'there is none'}`,
      name,
    );
  }
}
