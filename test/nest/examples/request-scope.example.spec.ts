import { Inject, Injectable, Scope } from '@nestjs/common';
import {
  ATTEMPT,
  type Attempt,
  ENVELOPE,
  type Envelope,
  SedaBusModule,
  Stage,
  makeEnvelope,
} from '../../../src/index.js';
import { boot } from '../support/boot.js';

const lines: string[] = [];

// #region context
@Injectable({ scope: Scope.REQUEST })
class AuditTrail {
  constructor(
    @Inject(ENVELOPE) private readonly envelope: Envelope,
    @Inject(ATTEMPT) private readonly attempt: Attempt,
  ) {}

  note(what: string): void {
    const { tenant } = this.envelope.headers;
    lines.push(`${tenant}: ${what} (attempt ${this.attempt.number} at ${this.attempt.stage})`);
  }
}
// #endregion

// #region handler
@Injectable()
class Orders {
  // What it injects is request-scoped, hence so is this class: Nest makes both anew for each attempt.
  constructor(private readonly audit: AuditTrail) {}

  @Stage('orders.price', { maxAttempts: 2 })
  price(_: Envelope, attempt: Attempt): boolean {
    this.audit.note('priced');
    return attempt.number === 2;
  }
}
// #endregion

test('R9.4: a provider is told the envelope and the attempt it is made for', async () => {
  const { bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders, AuditTrail] });
  await bus.publishAndWait(makeEnvelope('orders.price', {}, { headers: { tenant: 'acme' } }));
  expect(lines).toEqual(['acme: priced (attempt 1 at orders.price)', 'acme: priced (attempt 2 at orders.price)']);
});
