import * as fc from 'fast-check';
import {
  DynamicRoutingSlip,
  Envelope,
  RelayedExternalRoute,
  Route,
  SimpleRoute,
  type SlipCheckpoint,
} from '../src/index.js';
import { envelope, route } from './arbitraries.js';
import { overTheWire } from './fixtures.js';

/** The classes of all parts of a route, in the order of its JSON. */
function classesOf(part: Route | undefined): unknown[] {
  if (part === undefined) return [];
  if (part instanceof RelayedExternalRoute) return [part.constructor, part.base.constructor];
  if (!(part instanceof DynamicRoutingSlip)) return [part.constructor];
  const copy = part.clone();
  const classes: unknown[] = [part.constructor];
  while (copy.numberRemainingRoutes() > 0) classes.push(...classesOf(copy.nextRoute()));
  return classes;
}

function partsOf(whole: Envelope): unknown[] {
  const text = whole.message?.asText();
  const parts = [whole, whole.message, whole.did, whole.did.publicKey, whole.did.passphraseHash, whole.multipart];
  const signatures = Object.values(whole.did.publicKey.signedAttributes).flat();
  const classes = [...parts, text?.to, text?.from, ...signatures].map((part) => part?.constructor);
  return [...classes, ...classesOf(whole.route), ...classesOf(whole.dynamicRoutingSlip)];
}

test('any envelope comes back from the wire as it was', () => {
  fc.assert(
    fc.property(envelope, (original) => {
      const read = Envelope.fromJSON(overTheWire(original));
      expect(read.equals(original)).toBe(true);
      expect(read.toJSON()).toEqual(original.toJSON());
      expect(partsOf(read)).toEqual(partsOf(original));
    }),
    { numRuns: 300 },
  );
});

test('any envelope equals its clone in every part, and is not changed by what the clone goes through', () => {
  fc.assert(
    fc.property(envelope, fc.array(route, { maxLength: 3 }), (original, added) => {
      const before = original.toJSON();
      const copy = original.clone();
      expect(copy.toJSON()).toEqual(before);
      expect(partsOf(copy)).toEqual(partsOf(original));
      for (const one of added) copy.dynamicRoutingSlip.addRoute(one);
      while (copy.ratchet() !== undefined) copy.mark('passed');
      copy.setHeader('new', 1);
      copy.addNvp('new', 1);
      copy.addErrorMessage('new');
      expect(original.toJSON()).toEqual(before);
    }),
    { numRuns: 200 },
  );
});

test('a slip does whatever a plain array would do as a stack, through any checkpoints and rollbacks', () => {
  const step = fc.constantFrom('add', 'next', 'current', 'checkpoint', 'rollback');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const slip = new DynamicRoutingSlip();
      let stack: Route[] = [];
      let current: Route | undefined;
      let saved: { slip: SlipCheckpoint; stack: Route[]; current: Route | undefined } | undefined;
      const next = (): Route | undefined => (current = stack.pop());
      for (const what of steps) {
        const added = new SimpleRoute();
        if (what === 'add') {
          slip.addRoute(added);
          stack.push(added);
        }
        if (what === 'next') expect(slip.nextRoute()).toBe(next());
        if (what === 'current') expect(slip.currentRoute()).toBe(current ?? next());
        if (what === 'checkpoint') saved = { slip: slip.checkpoint(), stack: [...stack], current };
        if (what === 'rollback' && saved) {
          slip.rollback(saved.slip);
          [stack, current] = [[...saved.stack], saved.current];
        }
        expect(slip.numberRemainingRoutes()).toBe(stack.length);
        expect(slip.peekAtNextRoute()).toBe(stack.at(-1));
      }
    }),
  );
});
