import { Logger } from '@nestjs/common';
import type { SedaBus, SedaEvents } from '#engine';
import { DEFAULT_BUS } from './seda-bus.tokens.js';
import type { Registered } from './stage.registrar.js';

/** The unknown names that are told apart. */
const MOST_NAMES = 100;
/** The names that one line lists. */
const MOST_LISTED = 5;

/** What the bus tells the application's log. */
export class BusJournal {
  private readonly logger: Logger;
  private readonly unroutable = new Set<string>();

  constructor(bus: string) {
    this.logger = new Logger(bus === DEFAULT_BUS ? 'SedaBus' : `SedaBus:${bus}`);
  }

  /** Writes down from now on what the bus reports: each dead letter, and what went wrong besides. */
  follow(bus: SedaBus): void {
    bus.on('deadLetter', (event) => this.deadLetter(event));
    bus.on('unroutable', ({ stage }) => this.lostItsWay(stage));
    bus.on('error', ({ where, error }) => this.logger.error(`${where} threw: ${error.message}`, error.stack));
    bus.on('warning', ({ code, message }) => this.logger.warn(`${message} (${code})`));
  }

  started({ stages, handlers, publishOnly, idlePatterns }: Registered): void {
    this.logger.log(`Started: ${stages} stage(s), ${handlers} handler(s)`);
    for (const pattern of idlePatterns) this.logger.warn(`consume: '${pattern}' matches no stage`);
    if (publishOnly.length > 0)
      this.logger.warn(`${listed(publishOnly)} not consumed here, and kept in memory: nobody else sees it`);
  }

  ended(abandoned: number, drained: boolean): void {
    if (drained) this.logger.log('Shut down: drained, abandoned: 0');
    else this.logger.warn(`Shut down before all was done, abandoned: ${abandoned}`);
  }

  warn(message: string): void {
    this.logger.warn(message);
  }

  private deadLetter({ stage, channel, reason, attempts, error, envelope }: SedaEvents['deadLetter']): void {
    const what = `Dead letter at stage '${stage}': envelope ${envelope.id}, ${reason} after ${attempts} attempt(s)`;
    const where = channel === undefined ? 'kept nowhere' : `kept in '${channel}'`;
    this.logger.error(`${what}, ${where}${error === undefined ? '' : `: ${error.message}`}`, error?.stack);
  }

  /** Once a name: the publisher hears of each. */
  private lostItsWay(stage: string | undefined): void {
    const name = stage === undefined ? 'no stage at all' : `'${stage}', which is no stage`;
    if (this.unroutable.has(name) || this.unroutable.size >= MOST_NAMES) return;
    this.unroutable.add(name);
    this.logger.warn(`An envelope was published to ${name}`);
  }
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, MOST_LISTED).map((name) => `'${name}'`);
  const rest = names.length - some.length;
  return `What is published to ${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} is`;
}
