import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PACKAGE = '@resolvingarchitecture/nestjs-seda-bus';
const root = fileURLToPath(new URL('../..', import.meta.url));

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

/** Builds the project and packs it. */
export async function pack(run, scratch) {
  const command = ['npm', 'pack', '--json', '--silent', '--pack-destination', scratch];
  const [packed] = JSON.parse((await run(command, root)).replace(/^[^[]*/, ''));
  return { tarball: join(scratch, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** The same in another version, so that no package manager takes it for the first. */
export async function packAgain(run, scratch, tarball) {
  const folder = join(scratch, 'second');
  mkdirSync(folder);
  await run(['tar', '-xzf', tarball, '-C', folder], scratch);
  const manifest = join(folder, 'package/package.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: '0.0.0-second' }));
  const packed = await run(['npm', 'pack', '--ignore-scripts', '--silent'], join(folder, 'package'));
  return join(folder, 'package', packed.trim());
}

export function checkContents(check, files) {
  const none = (sentence, found) => check(sentence, found.length === 0, found.join(', '));
  none(
    'it holds what is published',
    WANTED.filter((path) => !files.includes(path)),
  );
  none(
    'it holds nothing else',
    files.filter((path) => !ALLOWED.test(path) || /(^|\/)(test|src|sample-app)\//.test(path)),
  );
  none(
    'no file names a path of the machine it was built on',
    files.filter((path) => text(path).includes(root)),
  );
  none(
    'N29: it bundles no copy of Nest, nor of anything else',
    files.filter((path) => /(^|\/)(node_modules|@nestjs)\//.test(path)),
  );
  none('N29: it depends on nothing, Nest is a peer', surplusDependencies());
  none('N29: no envelope and nothing of Nest is told by instanceof', files.flatMap(instanceofs));
}

function surplusDependencies() {
  const manifest = JSON.parse(text('package.json'));
  const kinds = ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'];
  const surplus = kinds.filter((kind) => manifest[kind] !== undefined);
  const missing = ['@nestjs/common', '@nestjs/core'].filter((name) => manifest.peerDependencies?.[name] === undefined);
  return [...surplus, ...missing.map((name) => `${name} is no peer`)];
}

/** The classes a file compares with, except errors and what the module made itself. */
function instanceofs(path) {
  if (!path.endsWith('.js')) return [];
  const source = text(path);
  const own = (name) => path.startsWith('dist/nest/') && !importedFromOutside(source).includes(name);
  return [...source.matchAll(/\binstanceof\s+([\w.]+)/g)]
    .map(([, name]) => name)
    .filter((name) => !name.endsWith('Error') && !own(name))
    .map((name) => `${path}: ${name}`);
}

/** From another package, or from the engine. */
function importedFromOutside(source) {
  return [...source.matchAll(/import\s+([^;]*?)\s+from\s+['"][^.]/g)].flatMap(([, names]) => names.match(/\w+/g));
}

function text(path) {
  return readFileSync(join(root, path), 'utf8');
}
