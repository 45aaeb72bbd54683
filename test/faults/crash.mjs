// C11: kills a process with a durable bus at random moments, again and again, and looks at what it has said.
//
//     npm run crash -- --cycles 200
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { cycles: { type: 'string', default: '200' } } });
const cycles = Number(values.cycles);
const child = fileURLToPath(new URL('crash-child.mjs', import.meta.url));
const path = mkdtempSync(join(tmpdir(), 'seda-crash-'));

/** One life: the lines it has said, and how it ended. It is killed `killAfterMs` after it is ready. */
function live(first, mode, killAfterMs) {
  const running = spawn(process.execPath, [child, path, String(first), mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  running.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (killAfterMs !== undefined && !text.includes('R\n') && (text + chunk).includes('R\n'))
      setTimeout(() => running.kill('SIGKILL'), killAfterMs);
    text += chunk;
  });
  return new Promise((resolve) =>
    running.once('close', (code, signal) => resolve({ lines: text.split('\n').slice(0, -1), code, signal })),
  );
}

const accepted = new Set();
/** Which attempt of an envelope was the last to start. */
const attempts = new Map();
const ended = new Set();
const wrong = [];
let redelivered = 0;
let next = 0;

function judge(lines, life) {
  const last = { orders: -1, once: -1, last: -1 };
  for (const line of lines) {
    const [what, stage, n, attempt] = line.split(' ');
    const id = `${stage} ${n}`;
    if (what === 'A') {
      accepted.add(id);
    } else if (what === 'P') {
      // Another of that number would be another envelope: nobody heard whether this one arrived.
      next = Math.max(next, Number(n) + 1);
    } else if (what === 'D') ended.add(id);
    else if (what === 'W') wrong.push(`life ${life}: ${line}`);
    else if (what === 'S') {
      if (ended.has(stage === 'last' ? `orders ${n}` : id))
        wrong.push(`life ${life}: ${id} started after its durable end`);
      const before = attempts.get(id) ?? 0;
      if (before > 0) redelivered++;
      if (Number(attempt) <= before) wrong.push(`life ${life}: ${id} again as attempt ${attempt}, after ${before}`);
      attempts.set(id, Number(attempt));
      if (Number(n) <= last[stage]) wrong.push(`life ${life}: ${id} after ${last[stage]}`);
      last[stage] = Number(n);
    }
  }
}

for (let cycle = 0; cycle < cycles; cycle++) {
  const { lines, signal, code } = await live(next, 'publish', Math.random() * 150);
  if (signal !== 'SIGKILL') wrong.push(`life ${cycle}: ended by itself with ${code}`);
  judge(lines, cycle);
}
const { lines, code } = await live(next, 'finish');
judge(lines, cycles);
if (code !== 0 || lines.at(-1) !== 'E') wrong.push(`the last life ended with ${code}`);
for (const id of accepted) {
  if (!attempts.has(id)) wrong.push(`${id} was accepted and is lost`);
  if (id.startsWith('orders') && !attempts.has(id.replace('orders', 'last'))) wrong.push(`${id} is lost at its hop`);
}

rmSync(path, { recursive: true, force: true });
console.log(`${cycles} kills, ${accepted.size} accepted, ${attempts.size} started, ${redelivered} redelivered`);
for (const each of wrong.slice(0, 20)) console.error(each);
console.log(wrong.length === 0 ? 'none lost, none after its durable end, order kept' : `${wrong.length} fault(s)`);
process.exitCode = wrong.length === 0 && accepted.size > 0 ? 0 : 1;
