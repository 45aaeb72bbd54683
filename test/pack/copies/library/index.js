import { createRequire } from 'node:module';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as seda from '@resolvingarchitecture/nestjs-seda-bus';

const { resolve } = createRequire(import.meta.url);

/** What the library loads: another Nest than the application's, and the package once more. */
export { common, core, resolve, seda };

/** A provider written against these copies: it handles a stage and injects another. */
export class Porter {
  arrived = [];

  constructor(exit) {
    this.exit = exit;
  }

  async carry(envelope) {
    this.arrived.push(envelope.content());
    await this.exit.publish(`${envelope.content()}, carried`);
  }
}
common.Injectable()(Porter);
seda.InjectStage('exit')(Porter, undefined, 0);
seda.Stage('entry')(Porter.prototype, 'carry', Object.getOwnPropertyDescriptor(Porter.prototype, 'carry'));
