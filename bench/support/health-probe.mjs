/** Asks a health endpoint at a steady rate from a process of its own, and sends the latencies to its parent when told to stop. */
import { request } from 'node:http';

const [url, perSecond] = process.argv.slice(2);
const latencies = [];
const statuses = {};

function ask() {
  const started = performance.now();
  const sent = request(url, { agent: false }, (response) => {
    response.resume();
    response.on('end', () => {
      latencies.push(performance.now() - started);
      statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
    });
  });
  sent.on('error', () => (statuses.failed = (statuses.failed ?? 0) + 1));
  sent.end();
}

const timer = setInterval(ask, 1_000 / Number(perSecond));
process.on('message', () => {
  clearInterval(timer);
  process.send({ latencies, statuses }, () => process.exit(0));
});
