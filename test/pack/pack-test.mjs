// Packs the project, installs the tarball into two scratch applications, and runs it there: with Nest 12 as an ES module,
// with Nest 11 from CommonJS. Prints one line a check; exits 1 if one fails.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'seda-pack-'));
const counts = { passed: 0, failed: 0 };

function report(name, passed, detail) {
  counts[passed ? 'passed' : 'failed']++;
  console.log(passed ? `ok - ${name}` : `not ok - ${name}\n  ${detail}`);
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** One part of the test; what it throws is a failure. */
function part(name, work) {
  try {
    work();
  } catch (error) {
    report(name, false, [error.message, error.stdout, error.stderr].filter(Boolean).join('\n'));
  }
}

function pack() {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--silent', '--pack-destination', scratch], root).replace(/^[^[]*/, ''),
  );
  return { tarball: join(scratch, packed.filename), files: packed.files.map(({ path }) => path) };
}

const WANTED = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/nest/index.js',
  'dist/nest/index.d.ts',
  'dist/engine/index.js',
  'dist/engine/index.d.ts',
  'lib/ra-common/dist/index.js',
  'lib/ra-common/dist/index.d.ts',
];
const ALLOWED =
  /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|(dist|lib\/ra-common\/dist)\/.+\.(js|js\.map|d\.ts|d\.ts\.map))$/;

function checkContents(files) {
  const missing = WANTED.filter((path) => !files.includes(path));
  report('the tarball holds what is published', missing.length === 0, `missing: ${missing.join(', ')}`);
  const surplus = files.filter((path) => !ALLOWED.test(path) || /(^|\/)(test|src|sample-app)\//.test(path));
  report('the tarball holds nothing else', surplus.length === 0, `surplus: ${surplus.join(', ')}`);
  const leaks = files.filter((path) => readFileSync(join(root, path), 'utf8').includes(root));
  report('no file names a path of the machine it was built on', leaks.length === 0, leaks.join(', '));
}

function install(name, nest, tarball, format) {
  const app = mkdtempSync(join(scratch, `${name}-`));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name, private: true, type: format }));
  copyFileSync(join(here, 'checks.cjs'), join(app, 'checks.cjs'));
  const peers = ['common', 'core', 'platform-express', 'terminus'].map((each) => `@nestjs/${each}@${nest}`);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...flags, tarball, ...peers, 'reflect-metadata@0.2', 'rxjs@7'], app);
  const own = join(app, 'node_modules/@resolvingarchitecture/nestjs-seda-bus');
  report(`${name}: the package brings no dependency of its own`, !readdirSync(own).includes('node_modules'), own);
  return app;
}

/** Compiles with everything the types lead to: theirs are checked, too. */
function compile(name, app, file) {
  const options = {
    compilerOptions: {
      target: 'ES2022',
      module: 'NodeNext',
      strict: true,
      skipLibCheck: false,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: [file],
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(options));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', app], app);
  report(`${name}: the published types compile`, true);
}

function runChecks(name, app, entry) {
  const output = run(process.execPath, [entry], app).trim().split('\n').at(-1);
  for (const { name: check, passed, detail } of JSON.parse(output)) report(`${name}: ${check}`, passed, detail);
}

try {
  part('npm pack', () => {
    const { tarball, files } = pack();
    part('contents', () => checkContents(files));
    part('Nest 12, ESM', () => {
      const app = install('nest-12-esm', 12, tarball, 'module');
      copyFileSync(join(here, 'esm/main.ts'), join(app, 'main.ts'));
      compile('Nest 12, ESM', app, 'main.ts');
      runChecks('Nest 12, ESM', app, 'main.js');
    });
    part('Nest 11, CommonJS', () => {
      const app = install('nest-11-commonjs', 11, tarball, 'commonjs');
      copyFileSync(join(here, 'cjs/main.cjs'), join(app, 'main.cjs'));
      copyFileSync(join(here, 'esm/main.ts'), join(app, 'types.mts'));
      compile('Nest 11, CommonJS', app, 'types.mts');
      runChecks('Nest 11, CommonJS', app, 'main.cjs');
    });
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
