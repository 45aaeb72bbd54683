import { SedaBusModule } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { boot } from './support/boot.js';

const ignore = (): void => undefined;
afterEach(() => void process.off('SIGTERM', ignore));

/** The warnings of an application that has run for a moment. */
async function warnings(beforeThat: () => void = ignore): Promise<string[]> {
  const clock = new ManualClock();
  const { log } = await boot({ imports: [SedaBusModule.forRoot({ clock })] });
  // As in `createApplicationContext`: what `main.ts` does next comes after the initialisation.
  beforeThat();
  await clock.advance(1);
  return log.ofBus('warn').filter((line) => line.includes('enableShutdownHooks'));
}

describe('R9.6: an application that would not hear that it is to end', () => {
  test('is told so, once, when it has booted', async () => {
    expect(await warnings()).toHaveLength(1);
  });

  test('is not when somebody listens, however late the hooks were enabled', async () => {
    expect(await warnings(() => void process.on('SIGTERM', ignore))).toEqual([]);
  });

  test('is not when it has closed before', async () => {
    const clock = new ManualClock();
    const { app, log } = await boot({ imports: [SedaBusModule.forRoot({ clock })] });
    await app.close();
    await clock.advance(1);
    expect(log.ofBus('warn')).toEqual([]);
  });
});
