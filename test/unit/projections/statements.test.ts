import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { statementsProjection } from '../../../projections/statements/projection.ts';
import type { StatementDocument, Subject } from '../../../projections/statements/read-model.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import { foldBatch } from '../../../src/runtime/apply-events.ts';
import { cancelled, charged, modified, refunded } from '../../support/booking-life.ts';
import { bookingFacts, bookingId, confirmation, date, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder, SOME_CAUSE } from '../../support/recorded.ts';

const KEY = keyId('key_1');
const AT = '2026-11-30T23:59:59.999Z';
const charge = (amountMinor: number, key: typeof KEY | null = KEY): BookingEvent => ({
  type: 'ChargeRecorded',
  data: { keyId: key, amountMinor, currency: 'THB' },
});
const refund = (amountMinor: number): BookingEvent => ({
  type: 'RefundRecorded',
  data: { keyId: KEY, amountMinor, currency: 'THB' },
});

const { city, activityId } = bookingFacts();
/** Of the aquarium's confirmation for three guests, half an hour before midnight in UTC. */
const SUBJECT: Subject = {
  day: date('2026-12-01'),
  city,
  activityId,
  travelType: null,
  budget: null,
  ageGroup: null,
  model: null,
  bookings: 1,
  guests: 3,
};

/** A document's fields that say what was charged or refunded for. */
const subjectOf = (change: Partial<Subject>): Subject => ({ ...SUBJECT, day: date('2026-11-21'), ...change });
const OF_CHANGE = { bookings: 0, guests: 0 } as const;

describe('a charge or a refund', () => {
  test('is one item in the UTC month of its request, and is added to the total', () => {
    const recorded = recorder();
    givenEvents(
      statementsProjection,
      recorded('booking-bk_1', confirmation(), { at: AT }),
      recorded('booking-bk_1', charge(207_000), { at: AT }),
      recorded('booking-bk_1', refund(50_000), { at: '2026-12-01T00:00:00.000Z' }),
    )
      .thenDocument('item/bk_1/0', null)
      .thenDocument('item/bk_1/1', {
        ...SUBJECT,
        kind: 'item',
        keyId: KEY,
        month: '2026-11',
        at: AT,
        place: '0000000000000002',
        type: 'charge',
        bookingId: bookingId('bk_1'),
        amountMinor: 207_000,
        currency: 'THB',
      })
      .thenDocument('total/key_1/2026-11/THB', {
        kind: 'total',
        keyId: KEY,
        month: '2026-11',
        currency: 'THB',
        chargedMinor: 207_000,
        refundedMinor: 0,
      })
      .thenDocument('total/key_1/2026-12/THB', {
        kind: 'total',
        keyId: KEY,
        month: '2026-12',
        currency: 'THB',
        chargedMinor: 0,
        refundedMinor: 50_000,
      });
  });

  test('stored without a key is listed once, under the key of its confirmation', () => {
    const recorded = recorder();
    givenEvents(
      statementsProjection,
      recorded('booking-bk_1', confirmation({ hours: null }), { at: AT }),
      recorded('booking-bk_1', charge(207_000, null), { at: AT }),
    )
      .thenDocument('item/bk_1/0', {
        ...SUBJECT,
        kind: 'item',
        keyId: KEY,
        month: '2026-11',
        at: AT,
        place: '0000000000000001',
        type: 'charge',
        bookingId: bookingId('bk_1'),
        amountMinor: 207_000,
        currency: 'THB',
      })
      .thenDocument('item/bk_1/1', null)
      .thenDocument('total/key_1/2026-11/THB', {
        kind: 'total',
        keyId: KEY,
        month: '2026-11',
        currency: 'THB',
        chargedMinor: 207_000,
        refundedMinor: 0,
      });
  });
});

describe('an item says what it is for', () => {
  const segment = { travelType: 'couple', budget: 'mid', ageGroup: 'adult' } as const;
  const attribution = { logId: 'rec_1' as LogId, rank: 1, segment };
  const ITEM = {
    kind: 'item',
    keyId: KEY,
    month: '2026-11',
    at: SOME_CAUSE.at,
    bookingId: bookingId('bk_1'),
    currency: 'THB',
  } as const;

  test('from the event before it: only a confirmation counts as a booking', () => {
    const recorded = recorder();
    const couple = { ...segment, model: 'default' };
    givenEvents(
      statementsProjection,
      recorded('booking-bk_1', confirmation({ attribution })),
      recorded('booking-bk_1', charged(207_000)),
      recorded('booking-bk_1', modified({ attribution, changes: { numAdults: { from: 2, to: 3 } } })),
      recorded('booking-bk_1', charged(69_000)),
      recorded('booking-bk_1', cancelled({ attribution })),
      recorded('booking-bk_1', refunded(276_000)),
    )
      .thenDocument('item/bk_1/1', {
        ...subjectOf(couple),
        ...ITEM,
        place: '0000000000000002',
        type: 'charge',
        amountMinor: 207_000,
      })
      .thenDocument('item/bk_1/3', {
        ...subjectOf({ ...couple, ...OF_CHANGE }),
        ...ITEM,
        place: '0000000000000004',
        type: 'charge',
        amountMinor: 69_000,
      })
      .thenDocument('item/bk_1/5', {
        ...subjectOf({ ...couple, ...OF_CHANGE }),
        ...ITEM,
        place: '0000000000000006',
        type: 'refund',
        amountMinor: 276_000,
      });
  });

  test('or, if that event was left out, only when it was', () => {
    givenEvents(statementsProjection, recorder()('booking-bk_1', charged(207_000))).thenDocument('item/bk_1/0', {
      ...subjectOf({ ...OF_CHANGE, city: null, activityId: null }),
      ...ITEM,
      place: '0000000000000001',
      type: 'charge',
      amountMinor: 207_000,
    });
  });

  test('and a change without an amount is none', () => {
    const recorded = recorder();
    givenEvents(
      statementsProjection,
      recorded('booking-bk_1', modified({ changes: { guest: ['name'] } })),
      recorded('booking-bk_1', modified({ changes: { numAdults: { from: 2, to: 3 } } })),
      recorded('booking-bk_1', cancelled({ refundMinor: 0 })),
    )
      .thenDocument('item/bk_1/1', null)
      .thenDocument('item/bk_1/2', { kind: 'change', ...subjectOf(OF_CHANGE) })
      .thenDocument('item/bk_1/3', null);
  });
});

test('totals are the sums of the items and match the streams, with any batch boundaries', () => {
  const amount = fc.record({
    type: fc.constantFrom('ChargeRecorded' as const, 'RefundRecorded' as const),
    booking: fc.constantFrom('bk_1', 'bk_2', 'bk_3'),
    key: fc.constantFrom('key_1', 'key_2'),
    currency: fc.constantFrom('THB' as const, 'VND' as const),
    at: fc.constantFrom('2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z', '2026-11-21T03:00:00.000Z'),
    amountMinor: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (amounts, batch) => {
      const recorded = recorder();
      const events = amounts.map(({ type, booking, key, currency, at, amountMinor }) =>
        recorded(`booking-${booking}`, { type, data: { keyId: keyId(key), amountMinor, currency } }, { at }),
      );
      const documents = new Map<string, ReturnType<typeof foldBatch>[number]>();
      for (let from = 0; from < events.length; from += batch) {
        // Every batch but the first begins with an event that was already delivered.
        const batchEvents = events.slice(Math.max(0, from - 1), from + batch);
        for (const write of foldBatch(statementsProjection, batchEvents, documents, EMBEDDED_POSITIONS))
          documents.set(write.id, write);
      }
      const docs = [...documents.values()].map(({ doc }) => doc as StatementDocument);
      const sums = new Map<string, [charged: number, refunded: number]>();
      for (const { type, key, currency, at, amountMinor } of amounts) {
        const id = `${key} ${at.slice(0, 7)} ${currency}`;
        const [chargedMinor, refundedMinor] = sums.get(id) ?? [0, 0];
        sums.set(
          id,
          type === 'ChargeRecorded'
            ? [chargedMinor + amountMinor, refundedMinor]
            : [chargedMinor, refundedMinor + amountMinor],
        );
      }
      const totals = new Map<string, [charged: number, refunded: number]>();
      for (const doc of docs) {
        if (doc.kind !== 'total') continue;
        totals.set(`${doc.keyId} ${doc.month} ${doc.currency}`, [doc.chargedMinor, doc.refundedMinor]);
      }
      expect(totals).toEqual(sums);
      expect(docs.filter(({ kind }) => kind === 'item')).toHaveLength(amounts.length);
    }),
  );
});
