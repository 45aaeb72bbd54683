import { Injectable } from '@nestjs/common';
import type { CityImport } from './city-import.js';

const MOST = 20;

/** The latest imports by id, in memory. */
@Injectable()
export class ImportLog {
  private readonly imports = new Map<string, CityImport>();

  add(run: CityImport): void {
    this.imports.set(run.id, run);
    const [oldest] = this.imports.keys();
    if (this.imports.size > MOST && oldest !== undefined) this.imports.delete(oldest);
  }

  find(id: string): CityImport | undefined {
    return this.imports.get(id);
  }

  /** The one that runs now. */
  running(): CityImport | undefined {
    return [...this.imports.values()].find(({ state }) => state === 'running');
  }
}
