import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { statementsProjection } from '../../../projections/statements/projection.ts';
import type { StatementDocument } from '../../../projections/statements/read-model.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { foldBatch } from '../../../src/runtime/apply-events.ts';
import { bookingId, confirmation, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

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
        const [charged, refunded] = sums.get(id) ?? [0, 0];
        sums.set(id, type === 'ChargeRecorded' ? [charged + amountMinor, refunded] : [charged, refunded + amountMinor]);
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
