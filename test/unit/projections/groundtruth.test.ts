import { describe, expect, test } from 'bun:test';
import { groundTruthProjection } from '../../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Attribution } from '../../../src/domain/booking/facts.ts';
import { newLogId } from '../../../src/domain/ids.ts';
import type { Segment } from '../../../src/domain/recommendation/profile.ts';
import { chainOf, EVERYBODY, LEVELS, levelsOf } from '../../../src/domain/recommendation/segments.ts';
import { activityId, aVisit, confirmation, served, venueId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const OCEAN = activityId('bkk-ocean-world');
const COUPLE = { travelType: 'couple', budget: 'mid', ageGroup: 'adult' } as const;
const LOG = newLogId('live', 0, new Uint8Array(6));

/** The aquarium at rank 2, shown to a middle-aged couple. */
const SHOWN = { type: 'RecommendationServed', data: served() } as const;

function visit(attribution: Attribution | null, disputed = false): BookingEvent {
  const data = {
    venueId: venueId('siam-ocean-world'),
    city: 'Bangkok',
    category: 'aquarium',
    numGuests: 3,
    keyId: null,
    disputed,
    opensAtMs: null,
  } as const;
  return { type: 'VisitVerified', data: { ...aVisit(), ...data, activityId: OCEAN, attribution } };
}

/** The given count at these levels, zero at all others. */
function at(levels: readonly number[], count: number): number[] {
  return Array.from({ length: LEVELS }, (_, level) => (levels.includes(level) ? count : 0));
}

function counted(tried: readonly number[], visited: readonly number[]): GroundTruthDocument {
  return { activityId: OCEAN, tried, visited };
}

describe('the ground truth of an activity', () => {
  test('counts an impression at the levels of its traveller', () => {
    const log = recorder();
    givenEvents(groundTruthProjection, log('recommendation-a', SHOWN), log('recommendation-b', SHOWN))
      .thenDocument(OCEAN, counted(at(levelsOf(COUPLE), 2), at([], 0)))
      .thenDocument('bkk-rooftop', null);
  });

  test('counts a visit after an impression as visited, not again as tried', () => {
    const log = recorder();
    const attribution = { logId: LOG, rank: 2, segment: COUPLE };
    givenEvents(
      groundTruthProjection,
      log('recommendation-a', SHOWN),
      log('booking-a', visit(attribution)),
    ).thenDocument(OCEAN, counted(at(levelsOf(COUPLE), 1), at(levelsOf(COUPLE), 1)));
  });

  test.each<[string, Attribution | null, readonly number[]]>([
    ['of which nothing is known, for everybody', null, [EVERYBODY]],
    [
      'of a traveller to whom it was not shown, at the levels of the segment',
      { logId: LOG, rank: null, segment: COUPLE },
      levelsOf(COUPLE),
    ],
  ])('counts a visit %s, as tried and visited', (_name, attribution, levels) => {
    const log = recorder();
    givenEvents(groundTruthProjection, log('booking-a', visit(attribution))).thenDocument(
      OCEAN,
      counted(at(levels, 1), at(levels, 1)),
    );
  });

  test('counts a visit without a recorded segment at the level of all travellers only', () => {
    const log = recorder();
    givenEvents(groundTruthProjection, log('booking-a', visit({ logId: LOG, rank: 1, segment: null }))).thenDocument(
      OCEAN,
      counted(at([], 0), at([EVERYBODY], 1)),
    );
  });

  test('ignores disputed visits', () => {
    const log = recorder();
    expect(groundTruthProjection.idsOf(log('booking-a', visit(null, true)))).toEqual([]);
  });

  test('subtracts a voided visit, and the impression that it stood for', () => {
    const log = recorder();
    for (const attribution of [null, { logId: LOG, rank: 2, segment: COUPLE }]) {
      const visited = visit(attribution);
      if (visited.type !== 'VisitVerified') throw new Error('there is no visit');
      const voided = {
        visit: visited.data,
        reason: 'a mistake',
        by: 'operator',
        at: '2026-12-26T00:00:00.000Z',
      } as const;
      givenEvents(
        groundTruthProjection,
        log('recommendation-a', SHOWN),
        log('booking-a', visited),
        log<BookingEvent>('booking-a', { type: 'VisitVoided', data: voided }),
      ).thenDocument(OCEAN, counted(at(levelsOf(COUPLE), 1), at([], 0)));
      const data = { ...voided, visit: { ...visited.data, disputed: true } };
      expect(groundTruthProjection.idsOf(log<BookingEvent>('booking-a', { type: 'VisitVoided', data }))).toEqual([]);
    }
  });

  test('ignores bookings', () => {
    const log = recorder();
    const booked = log('booking-a', confirmation());
    expect(groundTruthProjection.idsOf(booked)).toEqual([]);
  });

  test('has a fixed size', () => {
    const log = recorder();
    const others: readonly Segment[] = [COUPLE, { travelType: 'solo', budget: null, ageGroup: 'senior' }];
    const events = others.map((who, index) =>
      log(`recommendation-${index}`, {
        type: 'RecommendationServed',
        data: served({ profile: { ...served().profile, ...who } }),
      } as const),
    );
    const tried = at([], 0);
    for (const who of others) for (const level of levelsOf(who)) tried[level] = (tried[level] ?? 0) + 1;
    givenEvents(groundTruthProjection, ...events).thenDocument(OCEAN, counted(tried, at([], 0)));
    expect(others.flatMap(chainOf).every((level) => (tried[level] ?? 0) > 0)).toBe(true);
  });
});
