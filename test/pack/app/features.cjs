'use strict';

const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { decorate, inject, handlerClass, moduleOf, start } = require('./build.cjs');

/** What reaches into Nest, and is different in each. */
module.exports = [requestScope, enhancers, namedBuses, testingKit, durableStages];

/** Over a restart, and over an end that was not orderly; or, without the peer, by its name. */
async function durableStages(loaded, check, { lmdb = false }) {
  const { seda, lmdbStore } = loaded;
  const path = mkdtempSync(join(tmpdir(), 'seda-pack-'));
  const Keeper = handlerClass(loaded, 'keep', (keeper, envelope) => keeper.seen.push(envelope.content()));
  const boot = () =>
    start(loaded, {
      imports: [
        seda.SedaBusModule.forRoot({ store: lmdbStore({ path }), stages: { keep: { serviceLevel: 'AtLeastOnce' } } }),
      ],
      providers: [Keeper],
    });
  if (!lmdb) {
    const error = await boot().catch((thrown) => thrown);
    await check('a missing peer is told by its name', [error.code, error.peer], ['SEDA_MISSING_PEER', 'lmdb']);
    return;
  }
  const first = await boot();
  first.get(seda.SedaBus).hold('keep');
  await check('a durable stage accepts', await first.get(seda.SedaBus).publish(seda.makeEnvelope('keep', 1)), true);
  await first.close();
  // As if it had been killed: a child process reads it first.
  writeFileSync(join(path, 'state'), 'open');
  const second = await boot();
  await second.get(seda.SedaBus).idle();
  await check('and delivers after a restart', second.get(Keeper).seen, [1]);
  await second.close();
  rmSync(path, { recursive: true, force: true });
}

/** R9.4 */
async function requestScope(loaded, check) {
  const { common, seda } = loaded;
  const seen = [];
  class Scoped {
    constructor(envelope) {
      this.envelope = envelope;
    }

    handle(envelope) {
      seen.push([this.envelope === envelope, this.calls === undefined]);
      this.calls = 1;
    }
  }
  common.Injectable({ scope: common.Scope.REQUEST })(Scoped);
  common.Inject(seda.ENVELOPE)(Scoped, undefined, 0);
  inject(Scoped, Object);
  decorate(seda.Stage('scoped'), Scoped, 'handle');
  const app = await start(loaded, { imports: [seda.SedaBusModule.forRoot()], providers: [Scoped] });
  for (let i = 0; i < 2; i++) await app.get(seda.SedaBus).publishAndWait(seda.makeEnvelope('scoped'));
  await app.close();
  const fresh = [true, true];
  await check('R9.4: each attempt has an instance of its own, which its envelope is injected into', seen, [
    fresh,
    fresh,
  ]);
}

/** R9.8 */
async function enhancers(loaded, check) {
  const { common, seda } = loaded;
  const Doubler = handlerClass(loaded, 'double', (doubler, number) => doubler.seen.push(number));
  const guard = { canActivate: (context) => context.getArgByIndex(0).header('tenant') !== undefined };
  decorate(common.UseGuards(guard), Doubler, 'handle');
  seda.Payload({ transform: (number) => 2 * number })(Doubler.prototype, 'handle', 0);
  const imports = [seda.SedaBusModule.forRoot({ enhancers: true })];
  const app = await start(loaded, { imports, providers: [Doubler] });
  const bus = app.get(seda.SedaBus);
  const welcome = await bus.publishAndWait(seda.makeEnvelope('double', 21, { headers: { tenant: 'acme' } }));
  const foreign = await bus.publishAndWait(seda.makeEnvelope('double', 21));
  const { seen } = app.get(Doubler);
  await app.close();
  await check('R9.8: a pipe transforms the payload', [welcome.status, seen], ['completed', [42]]);
  await check(
    'R9.8: what a guard refuses is dead-lettered',
    [foreign.status, foreign.reason],
    ['dead-lettered', 'forbidden'],
  );
}

/** R9.7 */
async function namedBuses(loaded, check) {
  const { seda } = loaded;
  const [Here, There] = [{}, { bus: 'audit' }].map((options) =>
    handlerClass(loaded, 'note', (note, envelope) => note.seen.push(envelope.content()), options),
  );
  const imports = [seda.SedaBusModule.forRoot(), seda.SedaBusModule.forRoot({ name: 'audit' })];
  const app = await start(loaded, { imports, providers: [Here, There] });
  await app.get(seda.SedaBus).publishAndWait(seda.makeEnvelope('note', 'here'));
  await app.get(seda.getSedaBusToken('audit')).publishAndWait(seda.makeEnvelope('note', 'there'));
  await app.close();
  const seen = [app.get(Here).seen, app.get(There).seen];
  await check('R9.7: two buses have handlers of their own', seen, [['here'], ['there']]);
}

async function testingKit(loaded, check) {
  const { common, kit, seda, testing } = loaded;
  const Priced = handlerClass(loaded, 'price', () => true, {
    maxAttempts: 2,
    backoff: { type: 'fixed', delayMs: 60_000 },
  });
  const App = moduleOf(common, { imports: [seda.SedaBusModule.forRoot()], providers: [Priced] });
  const underTest = new kit.SedaBusTesting();
  const app = await underTest.install(testing.Test.createTestingModule({ imports: [App] })).compile();
  await app.init();
  underTest.failNext('price', new Error('not yet'));
  await app.get(seda.SedaBus).publish(seda.makeEnvelope('price'));
  await underTest.advance(60_000);
  const outcomes = underTest.deliveries('price').map(({ outcome }) => outcome);
  await app.close();
  await check('the testing kit moves time and tells what was delivered', outcomes, ['nack', 'ack']);
}
