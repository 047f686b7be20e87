import { describe, expect, test } from 'bun:test';
import type { Entry } from '../../../../src/pages/gate/entry.ts';
import {
  isBehind,
  isVerdict,
  mayOvertake,
  nextTryMs,
  type Sent,
  uploadRound,
  withFault,
} from '../../../../src/pages/gate/upload-round.ts';
import { createSigningKey } from '../../../../src/vouchers/signing-key.ts';
import { signToken } from '../../../../src/vouchers/token.ts';
import { seededRandom } from '../../../chaos/kill/random.ts';

const NOW = Date.parse('2026-11-27T05:00:00Z');
const CODE = 'WM-06H1PRDX83W9XEGQ67ZG-7Z3K5H0Q9XW4T1ZC8RB5N3H6V0';
const FAULT = { status: 500, code: 'INTERNAL_ERROR' };

type Change = Partial<Pick<Entry, 'sent' | 'fault'>> & { readonly booking?: string | null };

/** A visit of its own booking, unless `change` says otherwise. */
function entry(sequence: number, { booking = `bk_${sequence}`, ...change }: Change = {}): Entry {
  const guest = {
    bookingId: booking,
    name: 'Ada Lovelace',
    numAdults: 2,
    numChildren: 0,
    numGuests: 2,
    opensAt: null,
    closesAt: null,
    requests: null,
    activity: null,
  };
  return {
    sequence,
    idempotencyKey: `key-${sequence}`,
    guest,
    guestsPresent: 2,
    at: new Date(NOW).toISOString(),
    hash: null,
    sent: { kind: 'visit', code: `WM-CODE-OF-${String(sequence).padStart(10, '0')}` },
    conflict: null,
    ...change,
  };
}

/** A phone with these entries, whose service answers as `answer` says. */
class Phone {
  entries: Entry[];
  nowMs = NOW;
  /** Sequences in the order in which they were sent. */
  readonly sent: number[] = [];
  readonly #answer: (entry: Entry) => Sent;

  constructor(entries: readonly Entry[], answer: (entry: Entry) => Sent) {
    this.entries = [...entries];
    this.#answer = answer;
  }

  round(): Promise<boolean> {
    return uploadRound({
      waiting: () => this.entries,
      nowMs: () => this.nowMs,
      send: async (each) => {
        this.sent.push(each.sequence);
        const outcome = this.#answer(each);
        if (outcome === 'ended') this.entries = this.entries.filter(({ sequence }) => sequence !== each.sequence);
        if (outcome === 'fault')
          this.entries = this.entries.map((kept) =>
            kept.sequence === each.sequence ? withFault(kept, FAULT, this.nowMs) : kept,
          );
        return outcome;
      },
    });
  }

  get waiting(): readonly number[] {
    return this.entries.map(({ sequence }) => sequence);
  }
}

const faultyAt =
  (...sequences: readonly number[]) =>
  ({ sequence }: Entry): Sent =>
    sequences.includes(sequence) ? 'fault' : 'ended';

describe('an upload that always gets a fault', () => {
  test('does not stop those behind it, which are sent in their order', async () => {
    const phone = new Phone([entry(1), entry(2), entry(3)], faultyAt(1));
    expect(await phone.round()).toBe(true);
    expect(phone.sent).toEqual([1, 2, 3]);
    expect(phone.waiting).toEqual([1]);
  });

  test('is tried again with a delay that grows to ten minutes, and is never lost', async () => {
    const phone = new Phone([entry(1)], faultyAt(1));
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      await phone.round();
      const { fault } = phone.entries[0] ?? entry(0);
      expect(fault).toMatchObject({ ...FAULT, attempts: attempt });
      delays.push((fault?.retryAtMs ?? 0) - phone.nowMs);
      // Too early: nothing is sent.
      phone.nowMs = (fault?.retryAtMs ?? 0) - 1;
      await phone.round();
      expect(phone.sent).toHaveLength(attempt);
      phone.nowMs++;
    }
    expect(delays.map((ms) => ms / 1_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    expect(nextTryMs(phone.entries)).toBe(phone.nowMs);
  });

  test('keeps its Idempotency-Key, time and sequence, so that a repetition is the same request', () => {
    const { fault: _, ...again } = withFault(withFault(entry(1), FAULT, NOW), FAULT, NOW);
    expect(again).toEqual(entry(1));
  });

  test('holds back later entries of its booking only: by id, by token, by short code', async () => {
    const key = createSigningKey();
    const facts = { venueId: 'old-pier', date: '2026-11-27', validUntilMs: NOW, numAdults: 2, numChildren: 0 };
    const token = signToken({ code: CODE, revision: 1, ...facts }, key);
    const entries = [
      entry(1, { booking: 'bk_a', sent: { kind: 'visit', code: token } }),
      entry(2, { booking: 'bk_a', sent: { kind: 'arrivals', bookingId: 'bk_a' } }),
      entry(3, { booking: null, sent: { kind: 'visit', code: CODE.slice(-10) } }),
      entry(4, { booking: null, sent: { kind: 'visit', code: ` ${CODE.toLowerCase().replace(/0$/, 'o')}` } }),
      entry(5),
    ];
    expect(entries.map((each) => isBehind(each, entries))).toEqual([false, true, true, true, false]);
    const phone = new Phone(entries, faultyAt(1));
    await phone.round();
    expect(phone.sent).toEqual([1, 5]);
  });

  test('is tried at once if its next try was set by a clock that was ahead', async () => {
    const phone = new Phone([entry(1, { fault: { ...FAULT, attempts: 1, retryAtMs: NOW + 86_400_000 } })], faultyAt());
    await phone.round();
    expect(phone.waiting).toEqual([]);
  });
});

describe('a new entry', () => {
  test('overtakes entries with a fault, but none of its booking, and none that was not tried', () => {
    const failing = withFault(entry(1), FAULT, NOW);
    expect(mayOvertake(entry(2), [failing, entry(2)])).toBe(true);
    expect(mayOvertake(entry(2, { booking: 'bk_1' }), [failing, entry(2)])).toBe(false);
    expect(mayOvertake(entry(3), [failing, entry(2), entry(3)])).toBe(false);
  });
});

describe('a round', () => {
  test('ends after three faults in a row: the service is at fault. The next one begins with those that had none', async () => {
    const phone = new Phone(
      [1, 2, 3, 4, 5].map((sequence) => entry(sequence)),
      faultyAt(1, 2, 3),
    );
    expect(await phone.round()).toBe(false);
    expect(phone.sent).toEqual([1, 2, 3]);
    phone.nowMs += 5_000;
    expect(await phone.round()).toBe(false);
    expect(phone.sent.slice(3)).toEqual([4, 5, 1, 2, 3]);
  });

  test('ends at once if the service takes no uploads', async () => {
    const phone = new Phone([entry(1), entry(2)], () => 'stop');
    expect(await phone.round()).toBe(false);
    expect(phone.sent).toEqual([1]);
  });

  test('given random faults that end, then every entry is recorded once, and those of a booking in their order', async () => {
    const SEED = 20_261_128;
    const random = seededRandom(SEED);
    for (let run = 0; run < 200; run++) {
      const entries = Array.from({ length: 12 }, (_, index) =>
        entry(index + 1, { sent: { kind: 'arrivals', bookingId: `bk_${random.whole(0, 4)}` } }),
      );
      const faultsLeft = new Map(entries.map(({ sequence }) => [sequence, random.whole(0, 3)]));
      const recorded: Entry[] = [];
      const phone = new Phone(entries, (each) => {
        const left = faultsLeft.get(each.sequence) ?? 0;
        faultsLeft.set(each.sequence, left - 1);
        if (left > 0) return random.whole(0, 2) === 0 ? 'stop' : 'fault';
        recorded.push(each);
        return 'ended';
      });
      for (let rounds = 0; phone.entries.length > 0; rounds++) {
        expect(rounds, `seed ${SEED}, run ${run}`).toBeLessThan(100);
        await phone.round();
        phone.nowMs += 60_000;
      }
      const sequences = recorded.map(({ sequence }) => sequence);
      expect(sequences.toSorted((a, b) => a - b)).toEqual(entries.map(({ sequence }) => sequence));
      for (const booking of ['bk_0', 'bk_1', 'bk_2', 'bk_3', 'bk_4']) {
        const ofBooking = recorded.filter(({ sent }) => sent.kind === 'arrivals' && sent.bookingId === booking);
        expect(ofBooking).toEqual(ofBooking.toSorted((a, b) => a.sequence - b.sequence));
      }
    }
  });
});

test('a refusal that says nothing about the upload is no verdict', () => {
  const codes = ['VOUCHER_CANCELLED', 'INVALID_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'METHOD_NOT_ALLOWED', 'NEW'];
  expect(codes.filter(isVerdict)).toEqual(['VOUCHER_CANCELLED', 'INVALID_REQUEST']);
});
