import { expect, test } from 'bun:test';
import { retentionProjection } from '../../../projections/retention/projection.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { endedAtMs } from '../../../src/domain/booking/retention.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import {
  CONFIRMED,
  cancelled,
  confirmedAfter,
  LATER,
  modified,
  PLACED,
  REJECTED,
  STARTED,
  VISIT,
  VISITED,
  voided,
} from '../../support/booking-life.ts';
import { bookingFacts, bookingId, confirmation } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const CLOSES = '2026-12-24T11:00:00.000Z';
const NEXT_DAY = { beginsAtMs: 1, opensAtMs: 2, closesAtMs: Date.parse('2026-12-25T11:00:00Z') };
const MOVED: BookingEvent = modified({ changes: {}, hours: NEXT_DAY });
const ERASED: BookingEvent = { type: 'GuestErased', data: { records: [], by: 'system', at: LATER } };

/** The events of one booking, and when its retention begins. */
const LIVES: readonly (readonly [string, readonly BookingEvent[], string])[] = [
  ['started', [STARTED], CLOSES],
  ['asked', [PLACED], CLOSES],
  ['confirmed by its venue', [PLACED, ...confirmedAfter('BookingPlacedOnRequest')], CLOSES],
  ['confirmed', CONFIRMED, CLOSES],
  ['moved', [...CONFIRMED, MOVED], '2026-12-25T11:00:00.000Z'],
  ['rejected', [PLACED, REJECTED], LATER],
  ['cancelled', [...CONFIRMED, cancelled()], LATER],
  ['visited', [...CONFIRMED, VISITED], new Date(VISIT.verifiedAtMs).toISOString()],
  [
    'cancelled, with a visit before it',
    [...CONFIRMED, cancelled(), VISITED],
    new Date(VISIT.verifiedAtMs).toISOString(),
  ],
  ['visited, and its visit voided', [...CONFIRMED, VISITED, voided()], CLOSES],
  ['cancelled, and its visit voided', [...CONFIRMED, cancelled(), VISITED, voided()], LATER],
  // Midnight in UTC after the date: later than its end in every city.
  ['of an earlier version, without hours', [confirmation({ hours: null })], '2026-12-25T00:00:00.000Z'],
];

test.each(LIVES)(
  'the retention of a booking that was %s begins then, in the read model and in its state',
  (_, life, at) => {
    const log = recorder();
    const document = life
      .map((event) => log('booking-bk_1', event))
      .reduce<Parameters<typeof retentionProjection.evolve>[0]>(
        (doc, event) => retentionProjection.evolve(doc, event, 'bk_1', undefined as never),
        null,
      );
    const state = fold(bookingDecider, life);
    if (state.status === 'none') throw new Error('nothing was booked');
    expect([document?.endedAtMs, endedAtMs(state)].map((ms) => new Date(ms ?? 0).toISOString())).toEqual([at, at]);
  },
);

test('an erasure deletes the document for ever', () => {
  const log = recorder();
  const events = [...CONFIRMED, ERASED, VISITED].map((event) => log('booking-bk_1', event));
  givenEvents(retentionProjection, ...events).thenDocument('bk_1', null);
});

test('a booking has one document with the times of its life', () => {
  const log = recorder();
  const events = [...CONFIRMED, cancelled()].map((event) => log('booking-bk_1', event));
  const closesAtMs = bookingFacts().hours?.closesAtMs ?? 0;
  const endedMs = Date.parse(LATER);
  const document = {
    bookingId: bookingId('bk_1'),
    closesAtMs,
    closedAtMs: endedMs,
    visitedAtMs: null,
    endedAtMs: endedMs,
  };
  givenEvents(retentionProjection, ...events).thenDocument('bk_1', document);
});
