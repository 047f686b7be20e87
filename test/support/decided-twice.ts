import { expect } from 'bun:test';
import fc from 'fast-check';
import { type Decider, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../src/eventsourcing/message.ts';

/** After any commands, deciding the last command a second time adds no event. */
export function decidedTwice<C, S, E extends DomainEvent, R>(
  decider: Decider<C, S, E, R>,
  anyCommand: fc.Arbitrary<C>,
): void {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 30, size: 'max' }), (commands) => {
      let state = decider.initial;
      for (const next of commands) {
        const first = decider.decide(next, state);
        if (first.kind === 'accepted') state = fold(decider, first.events, state);
        const second = decider.decide(next, state);
        expect(second.kind === 'accepted' ? second.events : []).toStrictEqual([]);
        // A rejection changes nothing, so the second one has the same reason.
        if (first.kind === 'rejected') expect(second).toStrictEqual(first);
      }
    }),
  );
}
