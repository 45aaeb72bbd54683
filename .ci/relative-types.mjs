/**
 * Makes the imports of the published types relative. `#engine` and `#ra-common` are names inside the package, by `imports` of
 * package.json; `moduleResolution: node10`, which many CommonJS applications still have, does not know them.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(root, 'dist', name);
  const text = readFileSync(file, 'utf8');
  const relativeText = Object.entries(imports).reduce(
    (rest, [alias, target]) => {
      return rest.replaceAll(`'${alias}'`, `'${pathTo(file, target.default)}'`);
    },
    text.replaceAll(/"(#[a-z-]+)"/g, "'$1'"),
  );
  if (relativeText !== text) writeFileSync(file, relativeText);
}

function pathTo(from, target) {
  const path = relative(dirname(from), join(root, target));
  return path.startsWith('.') ? path : `./${path}`;
}
