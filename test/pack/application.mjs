import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** How TypeScript finds the types of a package. */
const RESOLUTION = {
  nodenext: { module: 'nodenext' },
  node10: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', noEmit: true },
  bundler: { module: 'esnext', moduleResolution: 'bundler', noEmit: true },
};

/** An application in a folder of its own, made of the files of `sources` and installed by a package manager. */
export class Application {
  constructor({ scratch, run, manager }, name, sources) {
    this.folder = mkdtempSync(join(scratch, `${name.replace(/\W+/g, '-')}-`));
    this.run = run;
    this.manager = manager;
    cpSync(fileURLToPath(new URL(sources, import.meta.url)), this.folder, { recursive: true });
  }

  /** Installs what is named, and what it takes to compile. */
  async install(format, dependencies) {
    const { install, files = {}, tsc } = this.manager;
    const { typescript, '@types/node': node } = devDependencies;
    const dev = { '@types/node': node, ...(tsc && { typescript }) };
    this.write('package.json', {
      name: 'application',
      private: true,
      type: format,
      dependencies,
      devDependencies: dev,
    });
    for (const [file, content] of Object.entries(files)) writeFileSync(join(this.folder, file), content);
    await this.run(install, this.folder);
  }

  /** Compiles `main.ts` and checks everything its types lead to: those of others, too. */
  async compile(resolution) {
    await this.tsc(`tsconfig.${resolution}.json`, { ...RESOLUTION[resolution], skipLibCheck: false });
  }

  /** Compiles `main.ts`; of types only what decorators need. */
  async emit() {
    await this.tsc('tsconfig.json', { module: 'nodenext', noCheck: true });
  }

  /** Runs a file of it, which prints its checks as JSON in its last line: `{ name, passed, detail }` each. */
  async checks(file, ...args) {
    const { node = [] } = this.manager;
    const output = await this.run([process.execPath, ...node, file, ...args], this.folder);
    return JSON.parse(output.trim().split('\n').at(-1));
  }

  /** Before the end of the process, whose last seconds it would take. */
  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }

  async tsc(config, options) {
    const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };
    const compilerOptions = { target: 'es2022', strict: true, types: ['node'], ...decorators, ...options };
    this.write(config, { compilerOptions, files: ['main.ts'] });
    const { tsc = [process.execPath, join(root, 'node_modules/typescript/bin/tsc')] } = this.manager;
    await this.run([...tsc, '-p', config], this.folder);
  }

  write(file, content) {
    writeFileSync(join(this.folder, file), JSON.stringify(content, null, 2));
  }
}

/** What durable stages need besides. */
export const lmdbPeer = { lmdb: devDependencies.lmdb };

/** What an application with a Nest of this major version names, the package itself apart. */
export function peersOf(nest) {
  const ours = ['common', 'core', 'platform-express', 'terminus', 'testing'].map((each) => [
    `@nestjs/${each}`,
    `${nest}`,
  ]);
  return { ...Object.fromEntries(ours), 'reflect-metadata': '0.2', rxjs: '7' };
}
