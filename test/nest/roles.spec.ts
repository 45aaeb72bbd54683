import { Injectable } from '@nestjs/common';
import { type Envelope, makeEnvelope } from '#engine';
import { DeadLetter, type SedaBusModuleOptions, SedaBusModule, Stage } from '../../src/index.js';
import { isConsumed } from '../../src/stage.role.js';
import { boot } from './support/boot.js';

@Injectable()
class Handlers {
  readonly seen: unknown[] = [];

  @Stage('orders.price')
  price(envelope: Envelope): boolean {
    return this.note('price', envelope);
  }

  @Stage('mails.send')
  send(envelope: Envelope): boolean {
    return this.note('send', envelope);
  }

  @DeadLetter('orders.price')
  parked(envelope: Envelope): boolean {
    return this.note('parked', envelope);
  }

  private note(what: string, envelope: Envelope): boolean {
    this.seen.push(what);
    return envelope.content() !== 'bad' || what === 'parked';
  }
}

async function running(consume: NonNullable<SedaBusModuleOptions['consume']>) {
  const { app, bus, log } = await boot({ imports: [SedaBusModule.forRoot({ consume })], providers: [Handlers] });
  bus.offer(makeEnvelope('orders.price', 'bad'));
  bus.offer(makeEnvelope('mails.send', 1));
  await bus.idle();
  return { app, bus, log, seen: app.get(Handlers).seen };
}

describe('N36: one code base, a role for each process', () => {
  test('N36: consume: false publishes, and calls no handler', async () => {
    const { bus, seen, log } = await running(false);
    expect(seen).toEqual([]);
    expect(bus.stats()).toMatchObject({ 'orders.price': { depth: 1, deadLettered: 0 }, 'mails.send': { depth: 1 } });
    expect(log.ofBus('warn')).toContainEqual(expect.stringMatching(/'orders.price'.*not consumed here/));
  });

  test('N36: patterns say which stages are consumed', async () => {
    const { bus, seen } = await running(['orders.*']);
    expect(seen).toEqual(['price', 'parked']);
    expect(bus.stats()).toMatchObject({ 'orders.price': { deadLettered: 1 }, 'mails.send': { depth: 1 } });
  });

  test('N36: consume: true is the default, and consumes all', async () => {
    expect((await running(true)).seen).toEqual(['price', 'send', 'parked']);
  });

  test('a pattern that matches no stage is told', async () => {
    const { log } = await running(['orders.*', 'ordres.*']);
    const warnings = log.ofBus('warn').filter((line) => line.includes('matches no stage'));
    expect(warnings).toEqual(["consume: 'ordres.*' matches no stage"]);
  });

  test('what this process does not consume and has in memory is abandoned at its end, and told', async () => {
    const { app, bus, log } = await running(false);
    await app.close();
    expect(bus.stats()['mails.send']).toMatchObject({ droppedBy: { abandoned: 1 } });
    expect(log.ofBus('warn')).toContainEqual(expect.stringMatching(/abandoned: 2/));
  });

  test.each([[1], ['orders.*'], [['']], [[5]], [null]])('consume: %j is refused', async (consume) => {
    const options = { consume } as unknown as SedaBusModuleOptions;
    await expect(boot({ imports: [SedaBusModule.forRoot(options)] })).rejects.toMatchObject({
      code: 'SEDA_INVALID_OPTION',
      message: expect.stringContaining('consume'),
    });
  });
});

describe('a pattern of stage names', () => {
  test.each([
    ['orders', 'orders', true],
    ['orders', 'order', false],
    ['orders.price', 'orders.*', true],
    ['orders', 'orders.*', false],
    ['a.orders', 'orders*', false],
    ['orders.price.dead-letters', '*.dead-letters', true],
    ['orders.price', '*.dead-letters', false],
    ['a.b.c', 'a.*.c', true],
    ['a.c', 'a.*.c', false],
    ['aba', 'ab*ba', false],
    ['anything', '*', true],
    ['a+b', 'a+b', true],
    ['aab', 'a+b', false],
    ['xaxbxc', '*a*b*c', true],
    ['xbxaxc', '*a*b*c', false],
  ])('%s under %s: %s', (name, pattern, expected) => {
    expect(isConsumed(name, [pattern])).toBe(expected);
  });
});
