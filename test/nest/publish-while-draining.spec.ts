import { Injectable } from '@nestjs/common';
import { type Attempt, type Envelope, SedaBus, type StageRef, makeEnvelope } from '#engine';
import { InjectStage, type SedaBusModuleOptions, SedaBusModule, Stage } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { boot, openAfterwards } from './support/boot.js';

let gate: Gate;
beforeEach(() => void (gate = openAfterwards(new Gate())));

@Injectable()
class Pipeline {
  readonly arrived: unknown[] = [];
  readonly answers: boolean[] = [];

  constructor(
    private readonly bus: SedaBus,
    @InjectStage('last') private readonly last: StageRef,
  ) {}

  @Stage('first', { concurrency: 3 })
  async first(envelope: Envelope, attempt: Attempt): Promise<void> {
    await gate.opened;
    const how = envelope.content();
    if (how === 'attempt') this.answers.push(await attempt.publish(makeEnvelope('last', how)));
    if (how === 'bus') this.answers.push(await this.bus.publish(makeEnvelope('last', how)));
    if (how === 'ref') this.answers.push(await this.last.publish(how));
  }

  @Stage('last')
  arrive(envelope: Envelope): void {
    this.arrived.push(envelope.content());
  }
}

/** The application closes while the first stage is at work; then the gate opens, and each publishes downstream. */
async function closing(options: SedaBusModuleOptions, ...hows: string[]) {
  const imports = [SedaBusModule.forRoot(options), SedaBusModule.forFeature([{ name: 'last' }])];
  const { app, bus, log } = await boot({ imports, providers: [Pipeline] });
  for (const how of hows) bus.offer(makeEnvelope('first', how));
  const closed = app.close();
  gate.open();
  await closed;
  const { arrived, answers } = app.get(Pipeline);
  return { arrived, answers, warnings: log.ofBus('warn').filter((line) => line.includes('attempt.publish')) };
}

describe('R8.5: handlers that publish downstream while the application closes', () => {
  test('attempt.publish is accepted, and handled before the end', async () => {
    expect(await closing({}, 'attempt')).toEqual({ arrived: ['attempt'], answers: [true], warnings: [] });
  });

  test('bus.publish and StageRef are refused, with one hint what to use instead', async () => {
    const { arrived, answers, warnings } = await closing({}, 'bus', 'ref');
    expect([arrived, answers]).toEqual([[], [false, false]]);
    expect(warnings).toHaveLength(1);
  });

  test('with publishWhileDraining they are accepted', async () => {
    const { arrived, answers } = await closing({ publishWhileDraining: true }, 'bus', 'ref', 'attempt');
    expect(answers).toEqual([true, true, true]);
    expect(arrived.toSorted()).toEqual(['attempt', 'bus', 'ref']);
  });
});
