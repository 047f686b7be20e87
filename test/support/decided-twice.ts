import { expect } from 'bun:test';
import fc from 'fast-check';
import { type Decider, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../src/eventsourcing/message.ts';

/** After any commands before it, a command that is decided again at once adds nothing. */
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
        // What was refused stays refused for the same reason: a refusal changes nothing.
        if (first.kind === 'rejected') expect(second).toStrictEqual(first);
      }
    }),
  );
}
