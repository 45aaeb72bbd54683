// Packs the project, installs the tarball into scratch applications, and runs it there: with each Nest, from each module
// format, by each package manager (matrix.mjs), and beside a second copy of itself and of Nest (copies). Prints one line a
// check; exits 1 if one fails.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Application, lmdbPeer, peersOf } from './application.mjs';
import { TOOLS, managersIn } from './managers.mjs';
import { MATRIX, nameOf } from './matrix.mjs';
import { Report } from './report.mjs';
import { inParallel, scratchFolder, shellIn } from './shell.mjs';
import { PACKAGE, checkContents, pack, packAgain } from './tarball.mjs';

const scratch = scratchFolder();
const run = shellIn(scratch);
const managers = managersIn(scratch);
const report = new Report();

const tools = installTools();
// Whoever needs them tells of it.
tools.catch(() => {});
const tarball = await report.part('the tarball', async ({ check, step }) => {
  const packed = await step('it is packed', () => pack(run, scratch));
  checkContents(check, packed.files);
  return packed.tarball;
});
if (tarball !== undefined) {
  const jobs = [() => besideSecondCopies(), ...MATRIX.map((row) => () => application(row))];
  // An installation waits for the network half of its time.
  await inParallel(availableParallelism() + 1, jobs);
}
const seconds = Math.round(performance.now() / 1_000);
console.log(`${report.passed} passed, ${report.failed} failed, in ${seconds} s`);
process.exitCode = report.failed === 0 ? 0 : 1;

function application(row) {
  const { manager, nest, format, types, lmdb } = row;
  return report.part(nameOf(row), async ({ check, step }) => {
    const app = new Application({ scratch, run, manager: managers[manager] }, nameOf(row), './app');
    await step('it is installed', async () => {
      await tools;
      await app.install(format, {
        [PACKAGE]: `file:${tarball}`,
        ...peersOf(nest),
        ...(lmdb && lmdbPeer),
      });
    });
    if (types.length === 0) await app.emit();
    for (const each of types) await step(`the published types compile (${each})`, () => app.compile(each));
    for (const { name, passed, detail } of await app.checks('main.js', JSON.stringify(row)))
      check(name, passed, detail);
    await app.remove();
  });
}

/** N29: a library that the application depends on brings another Nest, and the package once more. */
function besideSecondCopies() {
  return report.part('beside a second copy', async ({ check, step }) => {
    const app = new Application({ scratch, run, manager: managers.npm }, 'copies', './copies');
    const second = await packAgain(run, scratch, tarball);
    app.write('library/package.json', {
      name: 'library',
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      dependencies: { [PACKAGE]: `file:${second}`, ...peersOf(11) },
    });
    const dependencies = { [PACKAGE]: `file:${tarball}`, ...peersOf(12), library: 'file:./library' };
    await step('it is installed', () => app.install('module', dependencies));
    for (const { name, passed, detail } of await app.checks('main.js')) check(name, passed, detail);
    await app.remove();
  });
}

async function installTools() {
  const folder = join(scratch, 'tools');
  mkdirSync(folder);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--prefix=.'];
  await run(['npm', 'install', ...flags, ...TOOLS], folder);
}
