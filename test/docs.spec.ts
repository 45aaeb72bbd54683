import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as engine from '#engine';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = [
  'README.md',
  'sample-app/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test.each(documents)('%s links to files that exist', (document) => {
  const links = [...read(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  const missing = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, dirname(document), link)));
  expect(missing).toEqual([]);
});

test('docs/testing.md names test files that exist, and every item of the correctness suite that is due', () => {
  const text = read('docs/testing.md');
  const files = [...text.matchAll(/`((?:test|lib)\/[^`]+\.spec\.ts)`/g)].map((match) => match[1] ?? '');
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const due = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'C9', 'C10', 'C11', 'C12', 'C14', 'C15'];
  expect(due.filter((item) => !new RegExp(`\\| ${item} +\\|`).test(text))).toEqual([]);
});

test('docs/errors.md has a paragraph for every class of error that the engine exports', () => {
  const text = read('docs/errors.md');
  const classes = Object.keys(engine).filter((name) => name.endsWith('Error') && name !== 'SedaError');
  expect(classes.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('docs/errors.md has a row for every code that the module and the testing kit throw', () => {
  const text = read('docs/errors.md');
  const sources = ['src/errors.ts', 'src/testing/errors.ts'].map(read).join('\n');
  const codes = [...new Set([...sources.matchAll(/'(SEDA_[A-Z_]+)'/g)].map((match) => match[1] ?? ''))];
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !text.includes(`| \`${code}\``))).toEqual([]);
});

test('docs/guarantees.md explains every reason of a drop', () => {
  const text = read('docs/guarantees.md');
  const reasons = Object.keys(new engine.SedaBus().channel('a').stats()['a']?.droppedBy ?? {});
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
});

const EXAMPLES = 'test/nest/examples';

/** The text between `// #region name` and `// #endregion`, without the indentation that all of it has. */
function regionsOf(path: string): Map<string, string> {
  const regions = [...read(path).matchAll(/^ *\/\/ #region (\S+)\n([\s\S]*?)^ *\/\/ #endregion$/gm)];
  return new Map(regions.map(([, name = '', body = '']) => [`${path}#${name}`, dedented(body)]));
}

function dedented(text: string): string {
  const lines = text.split('\n');
  const indentation = Math.min(...lines.filter(Boolean).map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indentation)).join('\n');
}

test('docs/nestjs.md shows the examples that the tests execute, and all of them', () => {
  const files = readdirSync(join(root, EXAMPLES)).map((name) => `${EXAMPLES}/${name}`);
  const examples = new Map(files.flatMap((file) => [...regionsOf(file)]));
  const shown = [...read('docs/nestjs.md').matchAll(/<!-- (\S+#\S+) -->\n+```ts\n([\s\S]*?)```/g)];
  expect(new Map(shown.map(([, name = '', code = '']) => [name, code]))).toEqual(examples);
  expect(examples.size).toBeGreaterThan(0);
});
