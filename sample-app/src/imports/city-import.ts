import { randomUUID } from 'node:crypto';
import type { Outcome } from '@resolvingarchitecture/nestjs-seda-bus';
import type { EnrichedCity } from './city.js';
import { type CitySummary, CityTally } from './city-tally.js';

export type ImportState = 'running' | 'done' | 'failed';

/** One run over all cities: how far it is, and what it comes to. It is over when every city has met its end. */
export class CityImport {
  readonly id: string = randomUUID();
  private readonly tally = new CityTally();
  private readonly startedAt = performance.now();
  private endedAt: number | undefined;
  private completed = 0;
  private lost = 0;

  constructor(readonly total: number) {
    this.endIfComplete();
  }

  /** `failed` when a city did not make it. */
  get state(): ImportState {
    if (this.endedAt === undefined) return 'running';
    return this.lost === 0 ? 'done' : 'failed';
  }

  /** Cities that went all the way. */
  get done(): number {
    return this.completed;
  }

  /** Cities that were dead-lettered or refused, and those that were never read. */
  get failed(): number {
    return this.lost;
  }

  get seconds(): number {
    return ((this.endedAt ?? performance.now()) - this.startedAt) / 1_000;
  }

  add(city: EnrichedCity): void {
    this.tally.add(city);
  }

  /** The end of one city, whatever it was. */
  settle({ status }: Outcome): void {
    if (status === 'completed') this.completed++;
    else this.lost++;
    this.endIfComplete();
  }

  /** So many cities will never be read. */
  leaveOut(cities: number): void {
    this.lost += cities;
    this.endIfComplete();
  }

  /** Of all cities that were added; final when no longer `running`. */
  summary(): CitySummary {
    return this.tally.summary();
  }

  private endIfComplete(): void {
    if (this.completed + this.lost === this.total) this.endedAt ??= performance.now();
  }
}
