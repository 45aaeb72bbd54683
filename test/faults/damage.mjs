// C12: truncates the file of a store at every page and between them, and flips single bits in it. Whatever comes of that is a
// typed error or what was published: never less, and nobody hears of it.
//
//     npm run damage -- --cases 500
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '500' }, seed: { type: 'string', default: String(Date.now()) } },
});
const cases = Number(values.cases);
const PAGE = 4_096;
const child = fileURLToPath(new URL('damage-child.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'seda-damage-'));
const whole = join(root, 'whole');
const random = generator(Number(values.seed));

/** Mulberry32: a run can be had again. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes up to the last page that either meta page knows; what follows is room that nobody has used yet. */
function inUse(file) {
  const bytes = readFileSync(file);
  const last = [0, PAGE].map((at) => Number(bytes.readBigUInt64LE(at + 144)));
  return (Math.max(...last) + 1) * PAGE;
}

function run(path, mode) {
  const running = spawn(process.execPath, [child, path, mode], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let errors = '';
  running.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  running.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk));
  const timer = setTimeout(() => running.kill('SIGKILL'), 60_000);
  return new Promise((resolve) =>
    running.once('close', (code, signal) => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(text));
      } catch {
        resolve({ crash: `${signal ?? code}`, errors });
      }
    }),
  );
}

const filled = await run(whole, 'fill');
const size = inUse(join(whole, 'data.mdb'));
const expected = [];
for (let n = filled.seen.length; n < 600; n++) expected.push(n);
console.log(`seed ${values.seed}: ${size / PAGE} pages, ${expected.length} envelopes wait`);

/** What is wrong with what came out; `undefined` for nothing. */
function judge({ error, message, seen, damaged, crash, errors }) {
  if (crash !== undefined) return `it ended by ${crash} ${errors.slice(0, 300)}`;
  if (error !== undefined) return /^SEDA_STORE_(CORRUPTED|VERSION)$/.test(error) ? undefined : `${error}: ${message}`;
  const numbers = seen.filter((n) => n !== 'new');
  const wanted = new Set(expected);
  const strange = numbers.filter((n, at) => !wanted.has(n) || (at > 0 && n <= numbers[at - 1]));
  if (strange.length > 0) return `out of place: ${strange.slice(0, 5)}`;
  if (numbers.length + damaged < expected.length)
    return `${expected.length - numbers.length} missing, ${damaged} told of`;
  return seen.includes('new') ? undefined : 'what was published afterwards did not come';
}

const verdicts = { 'typed error': 0, 'all there': 0, 'moved aside and told': 0 };
const wrong = [];

async function tryOne(index, what, damage) {
  const path = join(root, `case-${index}`);
  cpSync(whole, path, { recursive: true, preserveTimestamps: true });
  damage(join(path, 'data.mdb'));
  const result = await run(path, 'drain');
  const fault = judge(result);
  if (fault !== undefined) wrong.push(`${what}: ${fault}`);
  else if (result.error !== undefined) verdicts['typed error']++;
  else verdicts[result.damaged > 0 ? 'moved aside and told' : 'all there']++;
  rmSync(path, { recursive: true, force: true });
}

const work = [];
const truncation = (at) => [`cut at ${at}`, (file) => truncateSync(file, at)];
const pages = Array.from({ length: size / PAGE }, (_, page) => page * PAGE);
for (const at of pages.slice(0, cases)) work.push(truncation(at));
for (let more = 0; more < cases; more++) work.push(truncation(Math.floor(random() * size)));
for (let more = 0; more < cases; more++) {
  const [at, bit] = [Math.floor(random() * size), Math.floor(random() * 8)];
  const flip = (file) => {
    const bytes = readFileSync(file);
    bytes[at] ^= 1 << bit;
    writeFileSync(file, bytes);
  };
  work.push([`bit ${bit} of byte ${at} (page ${Math.floor(at / PAGE)}, offset ${at % PAGE}) flipped`, flip]);
}
let next = 0;
await Promise.all(
  [0, 1].map(async () => {
    while (next < work.length) {
      const index = next++;
      await tryOne(index, ...work[index]);
    }
  }),
);

rmSync(root, { recursive: true, force: true });
console.log(`${work.length} cases: ${JSON.stringify(verdicts)}`);
for (const each of wrong.slice(0, 40)) console.error(each);
console.log(wrong.length === 0 ? 'no case lost anything in silence' : `${wrong.length} fault(s)`);
process.exitCode = wrong.length === 0 ? 0 : 1;
