import { Injectable } from '@nestjs/common';
import { type Envelope, SedaBus, makeEnvelope } from '#engine';
import { InjectSedaBus, SedaBusModule, Stage } from '../../../src/index.js';
import { boot } from '../support/boot.js';

// #region named-buses
@Injectable()
class Accounts {
  readonly audited: unknown[] = [];

  constructor(
    private readonly bus: SedaBus,
    @InjectSedaBus('audit') private readonly audit: SedaBus,
  ) {}

  open = (name: string) => this.bus.publish(makeEnvelope('accounts.open', name));

  @Stage('accounts.open', { capacity: 100 })
  async opened(envelope: Envelope): Promise<void> {
    await this.audit.publish(makeEnvelope('trail', `opened ${String(envelope.content())}`));
  }

  @Stage('trail', { bus: 'audit', capacity: 10_000 })
  note(envelope: Envelope): void {
    this.audited.push(envelope.content());
  }
}

const imports = [
  SedaBusModule.forRoot({ concurrency: 64 }),
  SedaBusModule.forRootAsync({ name: 'audit', useFactory: async () => ({ shutdownTimeoutMs: 60_000 }) }),
];
// #endregion

test('each bus has its own stages and options', async () => {
  const { app, bus } = await boot({ imports, providers: [Accounts] });
  expect(await app.get(Accounts).open('Ada')).toBe(true);
  await bus.idle();
  await app.close();
  expect(app.get(Accounts).audited).toEqual(['opened Ada']);
});
