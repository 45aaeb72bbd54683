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

/** Lines: what is done, as a share of the ceiling, over what is offered. */
function overload(rows) {
  const loads = [0.5, 1, 2, 5, 10];
  const x = (load) => 80 + (Math.log2(load) + 1) * 140;
  const y = (share) => 300 - share * 220;
  const colours = { reject: '#0ea5e9', 'drop-oldest': '#f59e0b', block: '#10b981', 'without the bus': '#94a3b8' };
  const axes = [
    `<path d="M80 60V300H740" fill="none" stroke="#475569"/>`,
    ...[0, 0.5, 1].map(
      (share) =>
        `<text x="70" y="${y(share) + 4}" text-anchor="end" font-size="11" fill="#475569">${share * 100} %</text><path d="M80 ${y(share)}H740" stroke="#e2e8f0"/>`,
    ),
    ...loads.map(
      (load) =>
        `<text x="${x(load).toFixed(1)}" y="318" text-anchor="middle" font-size="11" fill="#475569">${load} ×</text>`,
    ),
    `<text x="740" y="338" text-anchor="end" font-size="11" fill="#475569">offered load, in ceilings of the stage</text>`,
  ];
  const lines = Object.entries(colours).flatMap(([policy, colour], index) => {
    const ceiling = valueOf(rows, `${policy}: ceiling`);
    const points = loads.map((load) => [x(load), y(valueOf(rows, `${policy}: goodput at ${load}×`) / ceiling)]);
    const path = points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`).join('');
    const p99 = valueOf(rows, `${policy}: p99 from acceptance to done at 10×`);
    return [
      `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(([px, py]) => `<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3" fill="${colour}"/>`),
      `<text x="500" y="${214 + index * 18}" fill="${colour}">${policy}: p99 at 10 × ${Math.round(p99).toLocaleString('en')} ms</text>`,
    ];
  });
  return {
    width: 800,
    height: 356,
    title: 'Goodput under overload, as a share of what the stage can do',
    body: [...axes, ...lines],
  };
}
