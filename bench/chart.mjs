/** `node bench/chart.mjs`: draws the latest results of `queues` and `overload` as docs/throughput.svg and docs/overload.svg. */
import { readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const rowsOf = (name) => JSON.parse(readFileSync(new URL(`results/${name}.json`, here), 'utf8')).rows;
const valueOf = (rows, name) => rows.find((row) => row.name === name)?.value;

draw('throughput', throughput(rowsOf('queues')));
draw('overload', overload(rowsOf('overload')));

function draw(name, { width, height, title, body }) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
<title>${title}</title>
<rect width="${width}" height="${height}" rx="10" fill="#f8fafc"/>
<text x="24" y="32" font-size="15" font-weight="600" fill="#0f172a">${title}</text>
${body.join('\n')}
</svg>
`;
  writeFileSync(new URL(`../docs/${name}.svg`, here), svg);
}

/** Bars: thousands of no-op asynchronous tasks a second, for one and for sixteen at a time. */
function throughput(rows) {
  const names = [
    'bus',
    'async.queue',
    '@nestjs/event-emitter',
    'fastq.promise',
    'p-queue',
    'RxJS mergeMap',
    '@nestjs/cqrs EventBus',
  ];
  const bars = names.flatMap((name) =>
    [1, 16].map((concurrency) => ({ name, concurrency, value: valueOf(rows, `concurrency ${concurrency}: ${name}`) })),
  );
  const most = Math.max(...bars.map(({ value }) => value));
  const body = bars.map(({ name, concurrency, value }, index) => {
    const y = 56 + index * 20 + Math.floor(index / 2) * 10;
    const length = (value / most) * 480;
    const colour = name === 'bus' ? '#0ea5e9' : '#94a3b8';
    const label =
      concurrency === 1 ? `<text x="180" y="${y + 18}" text-anchor="end" fill="#0f172a">${name}</text>` : '';
    return `${label}<rect x="192" y="${y}" width="${length.toFixed(1)}" height="16" rx="3" fill="${colour}" opacity="${concurrency === 1 ? 1 : 0.6}"/><text x="${(198 + length).toFixed(1)}" y="${y + 13}" font-size="11" fill="#475569">${Math.round(value / 1_000)} k/s${index < 2 ? ` (${concurrency} at a time)` : ''}</text>`;
  });
  return {
    width: 800,
    height: 76 + bars.length * 25,
    title: 'No-op asynchronous tasks per second, a burst of 200,000',
    body,
  };
}

/** Lines over what is offered: what is done, as a share of the ceiling, and how long it took, on a scale of powers of ten. */
function overload(rows) {
  const loads = [0.5, 1, 2, 5, 10];
  const colours = { reject: '#0ea5e9', 'drop-oldest': '#f59e0b', block: '#10b981', 'without the bus': '#94a3b8' };
  const names = Object.keys(colours);
  const goodput = (name, load) => valueOf(rows, `${name}: goodput at ${load}×`) / valueOf(rows, `${name}: ceiling`);
  const p99 = (name, load) => valueOf(rows, `${name}: p99 from acceptance to done at ${load}×`);
  const shares = {
    left: 70,
    title: 'done, of what the stage can do',
    ticks: [0, 0.5, 1],
    height: (share) => share / 1.1,
  };
  const times = {
    left: 480,
    title: 'p99 from acceptance to done',
    ticks: [1, 10, 100, 1_000],
    height: (ms) => Math.log10(ms) / 3.5,
  };
  const legend = names.map(
    (name, index) => `<text x="${70 + index * 150}" y="58" fill="${colours[name]}">● ${name}</text>`,
  );
  return {
    width: 860,
    height: 380,
    title: 'A stage under up to ten times the load it can do',
    body: [
      ...legend,
      ...panel(
        shares,
        (share) => `${share * 100} %`,
        loads,
        names.map((name) => [colours[name], loads.map((load) => goodput(name, load))]),
      ),
      ...panel(
        times,
        (ms) => `${ms.toLocaleString('en')} ms`,
        loads,
        names.map((name) => [colours[name], loads.map((load) => p99(name, load))]),
      ),
    ],
  };
}

function panel({ left, title, ticks, height }, label, loads, lines) {
  const x = (load) => left + ((Math.log2(load) + 1) / (Math.log2(10) + 1)) * 330;
  const y = (value) => 320 - height(value) * 220;
  const path = (values) =>
    values.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(loads[at]).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  return [
    `<text x="${left}" y="86" font-size="12" fill="#0f172a">${title}</text>`,
    `<path d="M${left} 94V320H${left + 350}" fill="none" stroke="#475569"/>`,
    ...ticks.map(
      (tick) =>
        `<text x="${left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end" font-size="11" fill="#475569">${label(tick)}</text><path d="M${left} ${y(tick).toFixed(1)}h350" stroke="#e2e8f0"/>`,
    ),
    ...loads.map(
      (load) =>
        `<text x="${x(load).toFixed(1)}" y="338" text-anchor="middle" font-size="11" fill="#475569">${load} ×</text>`,
    ),
    `<text x="${left + 350}" y="358" text-anchor="end" font-size="11" fill="#475569">offered load, in ceilings of the stage</text>`,
    ...lines.flatMap(([colour, values]) => [
      `<path d="${path(values)}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...values.map(
        (value, at) => `<circle cx="${x(loads[at]).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="${colour}"/>`,
      ),
    ]),
  ];
}
