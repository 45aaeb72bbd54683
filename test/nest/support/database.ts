import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';

/** As a client of a database: it closes in `onModuleDestroy`, as those of the field do, and then refuses to work. */
@Injectable()
export class Database implements OnModuleDestroy {
  readonly rows: unknown[] = [];
  closedWith: number | undefined;

  insert(row: unknown): void {
    if (this.closedWith !== undefined) throw new Error('the database is closed');
    this.rows.push(row);
  }

  onModuleDestroy(): void {
    this.closedWith = this.rows.length;
  }
}

@Module({ providers: [Database], exports: [Database] })
export class DatabaseModule {}
