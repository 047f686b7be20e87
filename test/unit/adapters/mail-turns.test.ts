import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { MAX_MAILS_A_DAY } from '../../../src/ports/mail-limiter.ts';
import { countUntilMs, type MailTurns, takeTurn } from '../../../src/ports/mail-turns.ts';

/** One address with the mails that it was asked for. */
class Address {
  turns: MailTurns = [];

  take(about: string, whenFull: 'wait' | 'refuse', atMs: number, issue = 1) {
    const { turns, taking } = takeTurn(this.turns, { about, messageId: `<${about}.${issue}>` }, whenFull, atMs);
    this.turns = turns;
    return taking;
  }
}

test('an address has at most 500 turns: a mail beyond them waits without a turn until the last one', () => {
  const address = new Address();
  for (let n = 0; n < 500; n++) address.take(`bk_${n}`, 'wait', 0);
  // 20 now, and 480 on the following 24 days.
  expect(address.turns.at(-1)?.atMs).toBe(24 * DAY_MS);
  const before = address.turns;
  for (let n = 500; n < 600; n++)
    expect(address.take(`bk_${n}`, 'wait', 0)).toEqual({ kind: 'waits', untilMs: 25 * DAY_MS });
  expect(address.turns).toEqual(before);
});

test('the turns count until 24 hours after the last one, and then no longer', () => {
  const address = new Address();
  for (let n = 0; n <= MAX_MAILS_A_DAY; n++) address.take(`bk_${n}`, 'wait', HOUR_MS);
  expect(countUntilMs(address.turns)).toBe(HOUR_MS + 2 * DAY_MS);
  expect(address.take('bk_99', 'refuse', HOUR_MS + 2 * DAY_MS - 1)).toEqual({ kind: 'taken' });
  expect(countUntilMs([])).toBe(DAY_MS);
});

test('whatever is asked for, no 24 hours hold more than 20 mails, and every mail that waits has its turn', () => {
  const ask = fc.record({
    about: fc.integer({ min: 0, max: 60 }),
    issue: fc.integer({ min: 1, max: 3 }),
    whenFull: fc.constantFrom('wait' as const, 'refuse' as const),
    afterMs: fc.integer({ min: 0, max: HOUR_MS }),
  });
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 200 }), (asks) => {
      const address = new Address();
      const counted = new Map<string, number>();
      let nowMs = 0;
      for (const { about, issue, whenFull, afterMs } of asks) {
        nowMs += afterMs;
        address.take(`bk_${about}`, whenFull, nowMs, issue);
        const present = new Map(address.turns.map(({ messageId, atMs }) => [messageId, atMs]));
        // A newer mail took the turn.
        for (const [messageId, atMs] of counted) if (atMs > nowMs && !present.has(messageId)) counted.delete(messageId);
        for (const [messageId, atMs] of present) counted.set(messageId, atMs);
      }
      const times = [...counted.values()].toSorted((one, other) => one - other);
      for (const [n, atMs] of times.entries()) {
        const earlier = times[n - MAX_MAILS_A_DAY];
        if (earlier !== undefined) expect(atMs - earlier).toBeGreaterThanOrEqual(DAY_MS);
      }
      for (const { about, messageId, atMs } of address.turns)
        expect(takeTurn(address.turns, { about, messageId }, 'refuse', atMs).taking).toEqual({ kind: 'taken' });
    }),
  );
});
