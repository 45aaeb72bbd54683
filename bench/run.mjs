/**
 * `npm run bench [-- name …] [--rounds n] [--json]`: runs the workloads, each in a process of its own, prints a verdict per
 * target and writes `bench/results/<name>.json`. Installs the peers at first use. Exits 1 when a target was missed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { print } from './harness/report.mjs';

const here = new URL('.', import.meta.url);
const known = readdirSync(new URL('workloads/', here)).map((file) => file.replace('.mjs', ''));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) fail(`No workload is named ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
if (!/^[1-9]\d*$/.test(values.rounds)) fail(`--rounds takes an integer ≥ 1, got ${values.rounds}.`);

if (!existsSync(new URL('node_modules', here))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: ['ignore', 2, 2] });
}

mkdirSync(new URL('results/', here), { recursive: true });
const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model, rounds: Number(values.rounds) };
if (!values.json) console.log(`Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.rounds} rounds`);

const results = (positionals.length > 0 ? positionals : known).map(measure);
if (values.json) console.log(JSON.stringify({ machine, results }, null, 2));
process.exitCode = results.some(({ rows }) => rows.some(({ met }) => met === false)) ? 1 : 0;

function measure(name) {
  const child = spawnSync(process.execPath, ['--expose-gc', 'one.mjs', name, values.rounds], {
    cwd: here,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (child.status !== 0) fail(`The workload ${name} ended with ${child.signal ?? child.status}.`);
  const rows = JSON.parse(child.stdout.trim().split('\n').at(-1));
  const result = { name, at: new Date().toISOString(), machine, rows };
  writeFileSync(new URL(`results/${name}.json`, here), `${JSON.stringify(result, null, 2)}\n`);
  if (!values.json) print(name, rows);
  return result;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
