'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { createRequire } = require('node:module');
const { decorate, handlerClass, inject, moduleOf, start } = require('./build.cjs');
const features = require('./features.cjs');

const PACKAGE = '@resolvingarchitecture/nestjs-seda-bus';

/**
 * What an application of any Nest and any module format expects of the package. It is handed its line of the matrix and
 * everything as the application loaded it, and answers with one line a check: `{ name, passed, detail }`.
 */
module.exports = async function checks(row, loaded) {
  const results = [];
  const check = async (name, actual, expected) => {
    const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    results.push({ name, passed: got === wanted, detail: `expected ${wanted}, got ${got}` });
  };
  for (const each of [installation, classes, decorators, stage, registrations, shutdownOrder, health, ...features]) {
    try {
      await each(loaded, check, row);
    } catch (error) {
      results.push({ name: each.name, passed: false, detail: error?.stack ?? String(error) });
    }
  }
  return results;
};

async function installation(loaded, check, { nest, format }) {
  const majors = ['core', 'terminus'].map((each) => majorOf(`@nestjs/${each}`));
  const compiled = readFileSync(join(__dirname, 'main.js'), 'utf8').includes('require(') ? 'commonjs' : 'module';
  await check(
    'Nest, Terminus and the module format are what they should be',
    [...majors, compiled],
    [nest, nest, format],
  );
  const entry = require.resolve(PACKAGE);
  const nests = ['common', 'core', 'terminus'].map((each) => require.resolve(`@nestjs/${each}`));
  const theirs = ['common', 'core', 'terminus'].map((each) => createRequire(entry).resolve(`@nestjs/${each}`));
  await check('the package loads the Nest of the application', theirs, nests);
  const folder = dirname(require.resolve(`${PACKAGE}/package.json`));
  const own = readdirSync(folder).includes('node_modules') ? readdirSync(join(folder, 'node_modules')) : [];
  // pnpm puts the commands of peers there.
  const packages = own.filter((name) => name !== '.bin');
  await check('the package brings no dependency of its own', packages, []);
}

async function classes({ seda, EngineBus, CommonEnvelope }, check, { format }) {
  const same = EngineBus === seda.SedaBus && CommonEnvelope === seda.Envelope;
  await check('the subpaths hold the same classes', same, true);
  if (format === 'module') return;
  const imported = await import(PACKAGE);
  await check('require and import load the same classes', imported.SedaBus === seda.SedaBus, true);
}

async function decorators({ compiled }, check) {
  await check('decorators and types work when they are compiled', await compiled(), ['completed', 1]);
}

async function stage(loaded, check) {
  const { seda } = loaded;
  const Greeter = handlerClass(loaded, 'greet', (greeter, envelope) => greeter.seen.push(envelope.content()));
  const app = await start(loaded, { imports: [seda.SedaBusModule.forRoot()], providers: [Greeter] });
  const bus = app.get(seda.SedaBus);
  const outcome = await bus.publishAndWait(seda.makeEnvelope('greet', 'hello'));
  await check('a stage runs', [outcome.status, app.get(Greeter).seen], ['completed', ['hello']]);
  await app.close();
}

/** N14 */
async function registrations(loaded, check) {
  const { seda } = loaded;
  const Greeter = handlerClass(loaded, 'greet', (greeter) => greeter.seen.push(1));
  const ways = { useClass: Greeter, useFactory: () => new Greeter(), useValue: new Greeter() };
  for (const [way, value] of Object.entries(ways)) {
    const providers = [{ provide: 'GREETER', [way]: value }];
    const app = await start(loaded, { imports: [seda.SedaBusModule.forRoot()], providers });
    await app.get(seda.SedaBus).publishAndWait(seda.makeEnvelope('greet'));
    await check(`N14: a handler by ${way} is called once`, app.get('GREETER').seen.length, 1);
    await app.close();
  }
  const app = await start(loaded, { imports: [seda.SedaBusModule.forRoot()] });
  await check('N14: an application without handlers boots', Object.keys(app.get(seda.SedaBus).stats()), [
    'dead-letters',
  ]);
  await app.close();
}

/** R9.6 */
async function shutdownOrder(loaded, check) {
  const { common, seda } = loaded;
  class Database {
    rows = 0;

    onModuleDestroy() {
      this.closedWith = this.rows;
    }
  }
  const DatabaseModule = moduleOf(common, { providers: [Database], exports: [Database] });
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  class Writer {
    constructor(database) {
      this.database = database;
    }

    async write() {
      await opened;
      this.database.rows++;
    }
  }
  inject(Writer, Database);
  decorate(seda.Stage('rows', { concurrency: 2 }), Writer, 'write');
  const app = await start(loaded, { imports: [seda.SedaBusModule.forRoot(), DatabaseModule], providers: [Writer] });
  const bus = app.get(seda.SedaBus);
  for (let i = 0; i < 20; i++) await bus.publish(seda.makeEnvelope('rows', i));
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  await check('R9.6: the bus drains first', bus.state, 'draining');
  open();
  await closed;
  await check('R9.6: the database closes when all is written', app.get(Database).closedWith, 20);
}

/** R10, N22 */
async function health(loaded, check) {
  const { common, core, terminus, seda } = loaded;
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  const Worker = handlerClass(loaded, 'work', () => opened);
  class Health {
    constructor(checks, indicator) {
      this.checks = checks;
      this.indicator = indicator;
    }

    check() {
      return this.checks.check([() => this.indicator.isHealthy('seda')]);
    }
  }
  inject(Health, terminus.HealthCheckService, seda.SedaBusHealthIndicator);
  common.Controller('health')(Health);
  decorate(common.Get(), Health, 'check');
  const App = moduleOf(common, {
    imports: [seda.SedaBusModule.forRoot(), terminus.TerminusModule.forRoot({ logger: false })],
    controllers: [Health],
    providers: [Worker],
  });
  const app = await core.NestFactory.create(App, { logger: false, abortOnError: false });
  await app.listen(0);
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}/health`;
  const up = await fetch(url);
  const { details } = await up.json();
  await check('R10: /health is up', [up.status, details.seda.status, details.seda.state], [200, 'up', 'open']);
  const bus = app.get(seda.SedaBus);
  await bus.publish(seda.makeEnvelope('work'));
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  const draining = await fetch(url, { headers: { connection: 'close' } });
  const down = (await draining.json()).details.seda;
  await check('N22: /health is 503 while draining', [draining.status, down.state], [503, 'draining']);
  open();
  await closed;
  await check('R9.6: and the work is done', bus.stats().work.delivered, 1);
}

function majorOf(name) {
  return Number.parseInt(require(`${name}/package.json`).version, 10);
}
