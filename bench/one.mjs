/** Runs one workload in this process: `node --expose-gc bench/one.mjs <name> <rounds>`; the last line is its rows as JSON. */
const [name = '', rounds = '5'] = process.argv.slice(2);
const { run } = await import(`./workloads/${name}.mjs`);
const rows = await run({ rounds: Number(rounds) });
console.log(JSON.stringify(rows));
