'use strict';

const common = require('@nestjs/common');
const core = require('@nestjs/core');
const terminus = require('@nestjs/terminus');
const seda = require('@resolvingarchitecture/nestjs-seda-bus');
const checks = require('./checks.cjs');

async function main() {
  const imported = await import('@resolvingarchitecture/nestjs-seda-bus');
  const same = imported.SedaBus === seda.SedaBus;
  const results = await checks({ common, core, terminus, seda });
  results.push({ name: 'require and import load the same classes', passed: same, detail: String(same) });
  console.log(JSON.stringify(results));
}

main();
