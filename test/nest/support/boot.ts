import type { INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { SedaBus } from '#engine';
import type { Gate } from '../../support/gate.js';
import { LogRecorder } from './log-recorder.js';

export interface Booted {
  readonly app: TestingModule;
  readonly bus: SedaBus;
  readonly log: LogRecorder;
}

type Customise = (builder: TestingModuleBuilder) => TestingModuleBuilder;

const opened = new Set<INestApplicationContext>();
const gates = new Set<Gate>();

// A file that boots applications closes them: whatever a test does not end itself, ends here.
afterEach(async () => {
  for (const gate of gates) gate.open();
  const apps = [...opened];
  opened.clear();
  for (const app of apps) await app.close();
});

/** Closes the application after the test, if the test does not. */
export function closeAfterwards<App extends INestApplicationContext>(app: App): App {
  opened.add(app);
  return app;
}

/** Opens the gate after the test, if the test does not: an application waits for its handlers when it closes. */
export function openAfterwards(gate: Gate): Gate {
  gates.add(gate);
  return gate;
}

/** A compiled application that was not initialised. */
export async function compile(metadata: ModuleMetadata, customise: Customise = (builder) => builder): Promise<Booted> {
  const log = new LogRecorder();
  const app = closeAfterwards(await customise(Test.createTestingModule(metadata).setLogger(log)).compile());
  return { app, bus: app.get(SedaBus, { strict: false }), log };
}

/** An application that runs. */
export async function boot(metadata: ModuleMetadata, customise?: Customise): Promise<Booted> {
  const booted = await compile(metadata, customise);
  await booted.app.init();
  return booted;
}
