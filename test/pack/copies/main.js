import { createRequire } from 'node:module';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as seda from '@resolvingarchitecture/nestjs-seda-bus';
import * as library from 'library';

// Case N29: an application with Nest 12 whose dependency `library` brings Nest 11 and the package a second time.

const PACKAGE = '@resolvingarchitecture/nestjs-seda-bus';
const { resolve } = createRequire(import.meta.url);
const results = [];

async function check(name, work) {
  try {
    const [got, wanted] = (await work()).map((each) => JSON.stringify(each));
    results.push({ name: `N29: ${name}`, passed: got === wanted, detail: `expected ${wanted}, got ${got}` });
  } catch (error) {
    results.push({ name: `N29: ${name}`, passed: false, detail: error?.stack ?? String(error) });
  }
}

function moduleOf({ Module }, metadata) {
  function App() {}
  Module(metadata)(App);
  return App;
}

function start(copy, providers = [], imports = []) {
  const root = moduleOf(copy.common, { imports: [copy.seda.SedaBusModule.forRoot(), ...imports], providers });
  return copy.core.NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
}

function handler(copy, stage, handle) {
  class Handler {
    seen = [];

    handle(...delivered) {
      return handle(this, ...delivered);
    }
  }
  copy.seda.Stage(stage)(Handler.prototype, 'handle', Object.getOwnPropertyDescriptor(Handler.prototype, 'handle'));
  return Handler;
}

const mine = { common, core, seda };

await check('two copies of Nest and of the package are loaded', () => {
  const loaded = [core.ModuleRef, common.Logger, seda.SedaBus, seda.Envelope];
  const { core: c, common: n, seda: s } = library;
  const differ = [c.ModuleRef, n.Logger, s.SedaBus, s.Envelope].map((each, index) => each !== loaded[index]);
  return [differ, [true, true, true, true]];
});

await check('each copy of the package loads the Nest of whoever installed it', () => {
  const nestOf = (one) => createRequire(one(PACKAGE)).resolve('@nestjs/core');
  return [
    [nestOf(resolve), nestOf(library.resolve)],
    [resolve('@nestjs/core'), library.resolve('@nestjs/core')],
  ];
});

await check('an envelope of the second copy travels its slip through stages of the first', async () => {
  const note = (self, envelope) => {
    self.seen.push(envelope.content());
  };
  const [First, Second] = [handler(mine, 'first', note), handler(mine, 'second', note)];
  const app = await start(mine, [First, Second]);
  const envelope = library.seda.makeEnvelope('first', 'hello', { slip: ['second'] });
  const { status } = await app.get(seda.SedaBus).publishAndWait(envelope);
  const seen = [app.get(First).seen, app.get(Second).seen];
  await app.close();
  return [
    [status, seen],
    ['completed', [['hello'], ['hello']]],
  ];
});

await check('an envelope of the second copy is copied for each subscriber, dead-lettered and redriven', async () => {
  const app = await start(mine);
  const bus = app.get(seda.SedaBus);
  const seen = [];
  let broken = true;
  bus.channel('news', { delivery: seda.Delivery.PubSub });
  for (const name of ['one', 'other']) {
    bus.subscribe('news', (envelope) => {
      if (broken) return false;
      seen.push([name, envelope.content(), envelope.getRoute().service, envelope.header('by')]);
      envelope.setHeader('by', name);
      return true;
    });
  }
  await bus.publish(library.seda.makeEnvelope('news', 'hello'));
  await bus.idle();
  broken = false;
  const parked = bus.deadLetters('news');
  const { items } = await parked.list();
  await parked.redrive('all');
  await bus.idle();
  await app.close();
  const delivered = ['one', 'other'].map((name) => [name, 'hello', 'news', null]);
  return [
    [items.length, seen],
    [1, delivered],
  ];
});

await check('a handler and a stage token that the second copy declares are found by the first', async () => {
  const Exit = handler(mine, 'exit', (self, envelope) => {
    self.seen.push(envelope.content());
  });
  const app = await start(mine, [library.Porter, Exit], [seda.SedaBusModule.forFeature([{ name: 'exit' }])]);
  const bus = app.get(seda.SedaBus);
  await bus.publishAndWait(seda.makeEnvelope('entry', 'parcel'));
  await bus.idle();
  const seen = [app.get(library.Porter).arrived, app.get(Exit).seen];
  await app.close();
  return [seen, [['parcel'], ['parcel, carried']]];
});

await check('two applications, each on a copy of its own, do not hear each other', async () => {
  const note = (self, envelope) => {
    self.seen.push(envelope.content());
  };
  const [Here, There] = [handler(mine, 'greet', note), handler(library, 'greet', note)];
  const [here, there] = [await start(mine, [Here]), await start(library, [There])];
  await here.get(seda.SedaBus).publishAndWait(seda.makeEnvelope('greet', 'here'));
  await there.get(library.seda.SedaBus).publishAndWait(seda.makeEnvelope('greet', 'there'));
  await here.close();
  await there.get(library.seda.SedaBus).publishAndWait(seda.makeEnvelope('greet', 'still there'));
  await there.close();
  return [
    [here.get(Here).seen, there.get(There).seen],
    [['here'], ['there', 'still there']],
  ];
});

await check('a module that is loaded lazily has the bus of the application, a stage and a handler', async () => {
  const app = await start(mine);
  const Late = handler(mine, 'late', (self, envelope) => {
    self.seen.push(envelope.content());
  });
  common.Inject(seda.SedaBus)(Late.prototype, 'bus');
  seda.InjectStage('late')(Late.prototype, 'stage');
  const feature = seda.SedaBusModule.forFeature([{ name: 'late', capacity: 3 }]);
  const Feature = moduleOf(common, { imports: [feature], providers: [Late] });
  const loaded = await app.get(core.LazyModuleLoader).load(() => Feature);
  const explored = app.get(seda.StageRegistry).explore(loaded);
  const late = loaded.get(Late);
  await late.stage.publish('better than never');
  await late.bus.idle();
  await app.close();
  const found = [explored, late.bus === app.get(seda.SedaBus), late.bus.stats().late.capacity, late.seen];
  return [found, [['late'], true, 3, ['better than never']]];
});

console.log(JSON.stringify(results));
// What failed may have left an application open.
if (results.some(({ passed }) => !passed)) process.exit();
