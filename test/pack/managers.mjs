import { join } from 'node:path';

/** Nest 12's `core` uses this package in its types and does not say so, which only strict installs notice. */
const EXTENSIONS = { '@nestjs/core@12': { dependencies: { '@standard-schema/spec': '1' } } };

/** What is not there from the start. pnpm 11 wants a later Node, pnpm 12 a script run at its installation. */
export const TOOLS = ['pnpm@10.34.8', 'yarn@1.22.22', '@yarnpkg/cli-dist@4.18.1'];

/**
 * How each package manager installs an application; none touches anything outside of the scratch folder, npm's cache
 * apart. `install`: the command. `files`: what it wants beside `package.json`. `node`: the flags an installed application
 * runs with. `tsc`: the compiler, if only the installed one will do.
 */
export function managersIn(scratch) {
  const caches = join(scratch, 'caches');
  const tool = (path) => [process.execPath, join(scratch, 'tools/node_modules', path)];
  const yarn4 = tool('@yarnpkg/cli-dist/bin/yarn.js');
  const yarn1Flags = ['--non-interactive', '--no-progress', `--cache-folder=${join(caches, 'yarn-1')}`];
  return {
    npm: { install: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'] },
    pnpm: { install: [...tool('pnpm/bin/pnpm.cjs'), 'install', ...pnpmFlags(caches)] },
    'yarn 1': { install: [...tool('yarn/bin/yarn.js'), 'install', ...yarn1Flags] },
    'yarn 4': { install: [...yarn4, 'install'], files: yarn4Files(caches, 'node-modules') },
    "yarn 4 Plug'n'Play": {
      install: [...yarn4, 'install'],
      files: yarn4Files(caches, 'pnp'),
      node: ['--require=./.pnp.cjs', '--experimental-loader=./.pnp.loader.mjs', '--no-warnings'],
      tsc: [...yarn4, 'run', 'tsc'],
    },
  };
}

/** As strict as it gets: nobody sees what he does not declare (`hoist`), and peers are those the application names. */
function pnpmFlags(caches) {
  return [
    `--store-dir=${join(caches, 'pnpm-store')}`,
    `--cache-dir=${join(caches, 'pnpm')}`,
    `--config.state-dir=${join(caches, 'pnpm-state')}`,
    '--config.hoist=false',
    '--config.auto-install-peers=false',
    '--config.strict-peer-dependencies=true',
  ];
}

function yarn4Files(caches, nodeLinker) {
  const settings = {
    nodeLinker,
    enableGlobalCache: false,
    cacheFolder: join(caches, 'yarn-4'),
    globalFolder: join(caches, 'yarn-4-global'),
    enableImmutableInstalls: false,
    enableTelemetry: false,
    packageExtensions: EXTENSIONS,
  };
  // JSON is YAML, too.
  return { '.yarnrc.yml': JSON.stringify(settings), 'yarn.lock': '' };
}
