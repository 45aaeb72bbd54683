import type { Core } from '../core.js';

/**
 * Resolves when `holds`, the clock has reached `deadline`, or the bus is closed. Looked at when something has changed.
 * @param key what is waited for; the same thing is waited for once
 */
export async function untilOrLate(core: Core, key: unknown, holds: () => boolean, deadline: number): Promise<void> {
  const { clock, idleWatch, lifecycle } = core;
  let late = false;
  const wait = (): unknown =>
    clock.setTimeout(() => {
      if (clock.now() < deadline) timer = wait();
      else {
        late = true;
        idleWatch.changed();
      }
    }, deadline - clock.now());
  let timer = wait();
  await idleWatch.until(key, () => late || lifecycle.ended || holds());
  clock.clearTimeout(timer);
}
