import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import { type InventoryQuery, inventoryOf } from '../../../projections/inventory/query.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { dayOf } from '../../../src/domain/activity/schedule.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { type AllotmentEvent, dateSchedule } from '../../../src/domain/allotment/events.ts';
import { type Allotment, freeSlots, quotePrice } from '../../../src/domain/allotment/state.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { allotmentCommand, dealMoment, knownSchedule } from '../../support/allotment-commands.ts';
import {
  activityId,
  anActivity,
  aSchedule,
  bookingId,
  claimId,
  commandId,
  date,
  fingerprint,
  holdId,
} from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const DAY = date('2026-12-24');
const PLACE = allotmentIdOf(activityId('bkk-ocean-world'), DAY);
const STREAM = `allotment-${PLACE}`;
const AT = '2026-11-21T03:00:00.000Z';
const LATER = '2026-11-21T04:00:00.000Z';
const { activityId: activity, city, currency, capacity, unitPriceMinor, cancellation, catalogueRevision } = aSchedule();

const DOCUMENT: InventoryDocument = {
  schedule: { capacity, unitPriceMinor, cancellation, catalogueRevision },
  setCapacity: null,
  setPriceMinor: null,
  deal: null,
  dealsBy: 'policy',
  activityId: activity,
  city,
  date: DAY,
  taken: 0,
  held: 0,
  cancelledBecause: null,
  cancellationRuns: false,
  currency,
  updatedAt: AT,
};
const DEAL = { discountPercent: 40, expiresAtMs: Date.parse('2026-12-24T10:00:00Z'), by: 'operator' } as const;
const FOLLOWED = { capacity: 4, unitPriceMinor: 80_000, cancellation, catalogueRevision: 3 };

describe('a document of the inventory', () => {
  const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
  const started: AllotmentEvent = { type: 'FlashDealStarted', data: DEAL };
  const expired: AllotmentEvent = { type: 'FlashDealEnded', data: { because: 'expired' } };
  const stopped: AllotmentEvent = { type: 'FlashDealEnded', data: { because: 'operator' } };
  test.each<readonly [string, readonly AllotmentEvent[], Partial<InventoryDocument>]>([
    ['the schedule', [], { updatedAt: AT }],
    ['the latest schedule', [{ type: 'ScheduleFollowed', data: FOLLOWED }], { schedule: FOLLOWED }],
    ['the operator’s capacity', [{ type: 'CapacitySet', data: { capacity: 3 } }], { setCapacity: 3 }],
    ['the operator’s price', [{ type: 'PriceSet', data: { unitPriceMinor: 1 } }], { setPriceMinor: 1 }],
    ['a deal, and who controls deals', [started], { deal: DEAL, dealsBy: 'operator' }],
    ['no deal after its end is recorded', [started, expired], { dealsBy: 'operator' }],
    ['that an operator has stopped deals', [stopped], { dealsBy: 'operator' }],
  ])('holds %s', (_, events, change) => {
    const log = recorder();
    const first = log(STREAM, opened, { at: AT });
    const others = events.map((event) => log(STREAM, event, { at: LATER }));
    givenEvents<InventoryDocument, AllotmentEvent>(inventoryProjection, first, ...others).thenDocument(PLACE, {
      ...DOCUMENT,
      updatedAt: LATER,
      ...change,
    });
  });

  test('counts the taken slots', () => {
    const log = recorder();
    const data = {
      claim: claimId('c'),
      booking: bookingId('bk_1'),
      size: 3,
      deadlineMs: 0,
      pricing: null,
      unpaidBy: null,
    };
    givenEvents<InventoryDocument, AllotmentEvent>(
      inventoryProjection,
      log(STREAM, opened),
      log(STREAM, { type: 'SlotsClaimed', data }),
      log(STREAM, { type: 'ClaimShrunk', data: { claim: claimId('c'), left: 1, size: 2, version: 2 } }),
    ).thenDocument(PLACE, { ...DOCUMENT, taken: 1 });
  });

  const HOLD = holdId('hd_01jd9k3v5x2m7q8r4t6w');
  const pricing = { unitPriceMinor, discountMinor: 0, currency };
  const held: AllotmentEvent = {
    type: 'SlotsHeld',
    data: { hold: HOLD, size: 2, expiresAtMs: 0, pricing, holder: null },
  };
  const used: AllotmentEvent = {
    type: 'HoldTaken',
    data: { hold: HOLD, claim: claimId('c'), booking: bookingId('bk_1'), size: 2, deadlineMs: 0, unpaidBy: null },
  };
  test.each<readonly [string, readonly AllotmentEvent[], Partial<InventoryDocument>]>([
    ['an open hold', [held], { taken: 2, held: 2 }],
    ['no used hold', [held, used], { taken: 2, held: 0 }],
    ['no released hold', [held, { type: 'SlotsReleased', data: { claim: HOLD, size: 2 } }], { taken: 0, held: 0 }],
    [
      'no hold whose claim was released',
      [held, used, { type: 'SlotsReleased', data: { claim: claimId('c'), size: 2 } }],
      { taken: 0, held: 0 },
    ],
  ])('counts %s as held', (_, events, change) => {
    const log = recorder();
    givenEvents<InventoryDocument, AllotmentEvent>(
      inventoryProjection,
      ...[opened, ...events].map((event) => log(STREAM, event, { at: AT })),
    ).thenDocument(PLACE, { ...DOCUMENT, ...change });
  });

  const capacitySet = (slots: number | null): AllotmentEvent => ({
    type: 'CapacitySet',
    data: { capacity: slots },
  });
  const cancelled: AllotmentEvent = {
    type: 'DateCancelled',
    data: {
      command: commandId('c'),
      fingerprint: fingerprint('f'),
      reason: 'weather',
      bookings: 0,
      places: 0,
      holds: 0,
      at: AT,
    },
  };
  const finished: AllotmentEvent = { type: 'DateCancellationFinished', data: { command: commandId('c'), at: AT } };
  const weather = { setCapacity: 0, cancelledBecause: 'weather' } as const;
  test.each<readonly [string, readonly AllotmentEvent[], Partial<InventoryDocument>]>([
    ['keeps the reason, and says that the cancellation runs', [], { ...weather, cancellationRuns: true }],
    ['says that the cancellation has finished', [finished], weather],
    ['keeps the reason while the capacity is 0', [finished, capacitySet(0)], weather],
    [
      'forgets the reason with another capacity',
      [finished, capacitySet(7)],
      { setCapacity: 7, cancelledBecause: null },
    ],
    [
      'forgets the reason with the scheduled capacity',
      [finished, capacitySet(null)],
      { setCapacity: null, cancelledBecause: null },
    ],
  ])('of a cancelled date %s', (_, events, change) => {
    const log = recorder();
    givenEvents<InventoryDocument, AllotmentEvent>(
      inventoryProjection,
      ...[opened, capacitySet(0), cancelled, ...events].map((event) => log(STREAM, event, { at: AT })),
    ).thenDocument(PLACE, { ...DOCUMENT, ...change });
  });
});

const QUESTION: InventoryQuery = {
  city: 'Bangkok',
  date: DAY,
  activityId: null,
  category: null,
  minSlots: 1,
  maxPriceMinor: null,
  flashDealsOnly: false,
};

/** A catalogue entry whose schedule is the given one. */
function entryOf(schedule: ReturnType<typeof aSchedule>) {
  const { capacity: slots, unitPriceMinor: priceMinor, catalogueRevision: revision } = schedule;
  const entry = anActivity({ id: activity, city, capacity: slots, priceMinor, currency, cancellation });
  const day = dayOf(entry, DAY);
  if (day === null) throw new Error('the example is closed on the day');
  return { activity: entry, revision, listed: true, updatedAt: AT, day, schedule: dateSchedule(entry, revision, day) };
}

test('after any allotment events, the inventory shows the price and the free slots that a booking gets', () => {
  const query = fc.tuple(fc.array(allotmentCommand, { maxLength: 30, size: 'max' }), knownSchedule, dealMoment);
  fc.assert(
    fc.property(query, ([commands, known, nowMs]) => {
      let state: Allotment = allotmentDecider.initial;
      let document: InventoryDocument | null = null;
      const log = recorder();
      for (const command of commands) {
        const decision = allotmentDecider.decide(command, state);
        if (decision.kind === 'rejected') continue;
        for (const event of decision.events) {
          state = allotmentDecider.evolve(state, event);
          const recorded: Recorded<AllotmentEvent> = log(STREAM, event);
          document = inventoryProjection.evolve(document, recorded, PLACE, String);
        }
      }
      const { schedule, day, ...entry } = entryOf(known);
      const allotments = { get: (id: string) => (id === PLACE ? document : null) ?? undefined };
      const found = inventoryOf([entry], QUESTION, allotments, nowMs);
      const free = freeSlots(state, schedule);
      if (free === 0 || nowMs >= day.lastEntryMs) return expect(found).toEqual([]);
      const { unitPriceMinor: full, discountMinor } = quotePrice(state, schedule, { hotelPercentOff: 0, nowMs });
      expect(found).toMatchObject([
        { availableSlots: free, unitPriceMinor: full, presentPriceMinor: full - discountMinor },
      ]);
      expect(found[0]?.deal !== null).toBe(discountMinor > 0);
    }),
  );
});
