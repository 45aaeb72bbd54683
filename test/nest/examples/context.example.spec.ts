import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage } from '../../../src/index.js';
import { boot } from '../support/boot.js';

// #region context
const requestId = new AsyncLocalStorage<string>();

@Injectable()
class Mails {
  readonly log: string[] = [];

  constructor(private readonly bus: SedaBus) {}

  welcome = (id: string) => requestId.run(id, () => this.bus.publish(makeEnvelope('mails.send', 'welcome')));

  @Stage('mails.send', { maxAttempts: 3 })
  async send(): Promise<boolean> {
    this.log.push(`sending, request ${String(requestId.getStore())}`);
    return this.log.length > 1;
  }
}

const root = SedaBusModule.forRoot({ propagateContext: true });
// #endregion

test('the handler runs in the context of the publisher, at each attempt', async () => {
  const { app, bus } = await boot({ imports: [root], providers: [Mails] });
  await app.get(Mails).welcome('r-1');
  await bus.idle();
  expect(app.get(Mails).log).toEqual(['sending, request r-1', 'sending, request r-1']);
});
