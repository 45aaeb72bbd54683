import type { LoggerService } from '@nestjs/common';

export interface LogLine {
  readonly level: 'log' | 'error' | 'warn';
  readonly message: string;
  readonly context: string | undefined;
}

/** Keeps what the application logs, for tests to read. */
export class LogRecorder implements LoggerService {
  readonly lines: LogLine[] = [];

  log = (message: unknown, ...rest: unknown[]): void => this.keep('log', message, rest);
  error = (message: unknown, ...rest: unknown[]): void => this.keep('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.keep('warn', message, rest);

  /** What the bus logged at this level. */
  ofBus(level: LogLine['level']): string[] {
    return this.lines
      .filter((line) => line.level === level && line.context === 'SedaBus')
      .map(({ message }) => message);
  }

  private keep(level: LogLine['level'], message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    this.lines.push({ level, message: String(message), context: typeof context === 'string' ? context : undefined });
  }
}
