import { Injectable } from '@nestjs/common';
import { type Attempt, type Envelope, SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage } from '../../../src/index.js';
import { boot } from '../support/boot.js';
import { Database, DatabaseModule } from '../support/database.js';

// #region shutdown
@Injectable()
class Orders {
  constructor(private readonly database: Database) {}

  @Stage('orders.price')
  async price(order: Envelope, attempt: Attempt): Promise<void> {
    // Accepted while the bus drains, too; `bus.publish` is not.
    await attempt.publish(makeEnvelope('orders.store', order.content()));
  }

  @Stage('orders.store')
  store(order: Envelope): void {
    this.database.insert(order.content());
  }
}

const root = SedaBusModule.forRoot({ drainOn: 'first', shutdownTimeoutMs: 20_000 });
// #endregion

test('what was accepted is done before the database closes', async () => {
  const { app } = await boot({ imports: [DatabaseModule, root], providers: [Orders] });
  app.get(SedaBus).offer(makeEnvelope('orders.price', 'a book'));
  await app.close();
  expect(app.get(Database)).toMatchObject({ rows: ['a book'], closedWith: 1 });
});
