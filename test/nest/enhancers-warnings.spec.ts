import { Injectable, ParseIntPipe, UseGuards, UsePipes } from '@nestjs/common';
import { InvalidOptionError } from '#engine';
import { HandlerConsumers } from '../../src/handler.consumers.js';
import { Payload, type SedaBusModuleOptions, Stage } from '../../src/index.js';
import { enhanced } from './support/enhanced.js';
import { publish } from './support/publish.js';

const open = { canActivate: () => true };

@Injectable()
class Orders {
  @Stage('orders.price')
  @UseGuards(open)
  price(): void {}
  @Stage('orders.charge')
  charge(@Payload() order: unknown): unknown {
    return order;
  }
  @Stage('orders.ship')
  ship(): void {}
}

@Injectable()
class Piped {
  @Stage('piped')
  @UsePipes(ParseIntPipe)
  handle(@Payload() payload: number): number {
    return payload;
  }
}

@Injectable()
@UsePipes(ParseIntPipe)
class Imports {
  @Stage('imports')
  @Stage('imports.again')
  handle(): void {}
}

const warnings = async (options: SedaBusModuleOptions, ...providers: (new () => object)[]) => {
  const { log } = await enhanced({ providers }, options);
  return log.ofBus('warn').filter((message) => /decorat/.test(message));
};

describe('N17: decorations that have no effect', () => {
  test('with enhancers: false are told in one warning at boot, which names the methods', async () => {
    expect(await warnings({ enhancers: false }, Orders, Imports)).toEqual([
      'Guards, pipes, interceptors, filters and parameter decorators have no effect on Orders.price, Orders.charge, ' +
        'Imports.handle. Let them apply with SedaBusModule.forRoot({ enhancers: true }).',
    ]);
  });

  test('are told once', async () => {
    const { app } = await enhanced({ providers: [Orders] }, { enhancers: false });
    expect(app.get(HandlerConsumers, { strict: false }).takeWarnings()).toEqual([]);
  });

  test('are not warned of when there are none', async () => {
    @Injectable()
    class Plain {
      @Stage('plain')
      handle(): void {}
    }
    expect(await warnings({ enhancers: false }, Plain)).toEqual([]);
  });

  test('are no matter with enhancers: true', async () => {
    expect(await warnings({}, Orders, Piped)).toEqual([]);
  });

  test('like a pipe of a method without decorated parameters, are told with enhancers: true, too', async () => {
    @Injectable()
    class Idle {
      @Stage('idle')
      @UsePipes(ParseIntPipe)
      handle(): void {}
    }
    expect(await warnings({}, Idle, Imports)).toEqual([
      'The pipes of Idle.handle have nothing to work on: a pipe is for decorated parameters. ' +
        'Decorate one, with @Payload() for instance.',
    ]);
  });

  test('do nothing with enhancers: false', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Guarded {
      @Stage('guarded')
      @UseGuards({ canActivate: () => false })
      handle(@Payload() first: unknown): void {
        seen.push(first);
      }
    }
    const { bus } = await enhanced({ providers: [Guarded] }, { enhancers: false });
    await publish(bus, 'guarded');
    expect(seen).toEqual([expect.objectContaining({ headers: expect.anything() })]);
  });
});

test.each([[null], ['yes'], [1], [[]], [{ global: 'yes' }], [{ globals: true }]])(
  'R1.6: enhancers: %j fails the boot',
  async (enhancers) => {
    const error = await enhanced({}, { enhancers: enhancers as never }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ option: 'SedaBusModule.enhancers', value: enhancers });
  },
);
