import { describe, expect, test } from 'bun:test';
import { conversionsProjection } from '../../../projections/conversions/projection.ts';
import type { ConversionCell } from '../../../projections/conversions/read-model.ts';
import type { BookingEvent, VisitFacts } from '../../../src/domain/booking/events.ts';
import type { Attribution } from '../../../src/domain/booking/facts.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import type { RecommendationEvent } from '../../../src/domain/recommendation/recommendation.ts';
import { answerWith } from '../../support/conversions.ts';
import { A_VOUCHER, activityId, aVisit, bookingFacts, confirmation, keyId } from '../../support/examples.ts';
import { experimentId } from '../../support/experiments.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ANSWER = 'recommendation-rec_1';
const BOOKING = 'booking-bk_1';
const A_COUPLE = { travelType: 'couple', budget: 'mid', ageGroup: 'adult' } as const;
const attribution: Attribution = { logId: 'rec_1' as LogId, rank: 2, segment: A_COUPLE };
const { keyId: key, activityId: activity, venueId, city, category } = bookingFacts();

const cell = (day: string, counts: Partial<ConversionCell>): ConversionCell => ({
  day,
  keyId: key,
  city: 'Bangkok',
  ...A_COUPLE,
  model: 'default',
  activityId: activity,
  requests: 0,
  recommended: 0,
  booked: 0,
  confirmed: 0,
  visited: 0,
  cancelled: 0,
  ...counts,
});

const answered = (...args: Parameters<typeof answerWith>): RecommendationEvent => ({
  type: 'RecommendationServed',
  data: answerWith(...args),
});
const booked = (change: Parameters<typeof bookingFacts>[0] = {}): BookingEvent =>
  confirmation({ attribution, ...change });
const VISIT: VisitFacts = {
  ...aVisit(),
  keyId: key,
  activityId: activity,
  venueId,
  city,
  category,
  numGuests: 3,
  attribution,
  disputed: false,
  opensAtMs: null,
};
const visited = (change: Partial<VisitFacts> = {}): BookingEvent => {
  return { type: 'VisitVerified', data: { ...VISIT, ...change } };
};
const voided = (change: Partial<VisitFacts> = {}): BookingEvent => {
  const visit = { ...VISIT, ...change };
  return { type: 'VisitVoided', data: { visit, reason: 'a mistake', by: 'operator', at: '2026-12-26T00:00:00.000Z' } };
};

test('a disputed visit is no conversion', () => {
  const log = recorder();
  for (const event of [visited({ disputed: true }), voided({ disputed: true })])
    expect(conversionsProjection.idsOf(log(BOOKING, event))).toEqual([]);
});

/** Events in one log order; these tests do not depend on the order of two streams. */
function given(...events: readonly (RecommendationEvent | BookingEvent)[]) {
  const log = recorder();
  return givenEvents(
    conversionsProjection,
    ...events.map((event) => log(event.type === 'RecommendationServed' ? ANSWER : BOOKING, event)),
  );
}

describe('conversions count', () => {
  test('an answer once as a request, and once for each shown activity, not for the candidates that were not shown', () => {
    given(answered(['bkk-ocean-world', 'river-walk']))
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/',
        cell('2026-11-21', { activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-11-21', { recommended: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/river-walk',
        cell('2026-11-21', { activityId: activityId('river-walk'), recommended: 1 }),
      )
      .thenDocument('2026-11-21/key_1/Bangkok/couple/mid/adult/default/one-more', null);
  });

  test('answers with the same dimensions in one document', () => {
    given(answered(['bkk-ocean-world']), answered(['bkk-ocean-world', 'river-walk']))
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/',
        cell('2026-11-21', { activityId: null, requests: 2 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-11-21', { recommended: 2 }),
      );
  });

  test('a booking after a recommendation as booked and confirmed on its day, and the visit on the day of the visit', () => {
    given(booked(), { type: 'VoucherIssued', data: A_VOUCHER }, visited())
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-11-21', { booked: 1, confirmed: 1 }),
      )
      .thenDocument(
        '2026-12-24/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-12-24', { visited: 1 }),
      );
  });

  test('no voided visit: its void subtracts it from the day of the visit, in any order', () => {
    for (const events of [
      [visited(), visited(), voided()],
      [voided(), visited(), visited()],
    ])
      given(...events).thenDocument(
        '2026-12-24/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-12-24', { visited: 1 }),
      );
  });

  test.each(['BookingStarted', 'BookingPlacedOnRequest'] as const)(
    'a booking on the day of its request, and its confirmation after %s on the day of the confirmation',
    (follows) => {
      const log = recorder();
      const facts = bookingFacts({ attribution });
      const known: BookingEvent =
        follows === 'BookingStarted'
          ? { type: follows, data: { ...facts, finishByMs: 1, answerByMs: null } }
          : { type: follows, data: { ...facts, answerByMs: 1, follows: null } };
      const agreed: BookingEvent = { type: 'BookingConfirmed', data: { ...facts, follows } };
      givenEvents(conversionsProjection, log(BOOKING, known), log(BOOKING, agreed, { at: '2026-11-22T01:00:00.000Z' }))
        .thenDocument(
          '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
          cell('2026-11-21', { booked: 1 }),
        )
        .thenDocument(
          '2026-11-22/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
          cell('2026-11-22', { confirmed: 1 }),
        );
    },
  );

  test('events with the same dimensions in one document', () => {
    given(answered(['bkk-ocean-world']), booked(), visited({ verifiedAtMs: Date.parse('2026-11-21T23:59:59Z') }))
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-11-21', { recommended: 1, booked: 1, confirmed: 1, visited: 1 }),
      )
      .thenDocument('2026-11-22/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world', null);
  });

  test('by UTC day, even if the city has the next day', () => {
    const last = '2026-11-21T23:59:59.999Z';
    given(answered([], { at: last }), answered([], { at: '2026-11-22T00:00:00.000Z' }), booked({ at: last }))
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/',
        cell('2026-11-21', { activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-22/key_1/Bangkok/couple/mid/adult/default/',
        cell('2026-11-22', { activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world',
        cell('2026-11-21', { booked: 1, confirmed: 1 }),
      );
  });

  test('neither bookings without a recommendation nor their visits', () => {
    given(booked({ attribution: null }), visited({ attribution: null }))
      .thenDocument('2026-11-21/key_1/Bangkok/couple/mid/adult/default/bkk-ocean-world', null)
      .thenDocument('2026-11-21/key_1/Bangkok////default/bkk-ocean-world', null)
      .thenDocument('2026-12-24/key_1/Bangkok////default/bkk-ocean-world', null);
  });

  test('facts that older versions did not record under null: the segment, the key of a visit', () => {
    const unknown = { travelType: null, budget: null, ageGroup: null };
    const unnoted = { ...attribution, segment: null };
    given(booked({ attribution: unnoted }), visited({ keyId: null, attribution: unnoted }))
      .thenDocument(
        '2026-11-21/key_1/Bangkok////default/bkk-ocean-world',
        cell('2026-11-21', { ...unknown, booked: 1, confirmed: 1 }),
      )
      .thenDocument(
        '2026-12-24//Bangkok////default/bkk-ocean-world',
        cell('2026-12-24', { ...unknown, keyId: null, visited: 1 }),
      );
  });

  test('keys, cities, segments and models in separate documents', () => {
    const family = { travelType: 'family', nationality: null, interests: [], budget: null, ageGroup: null } as const;
    const arm = { id: experimentId('exp_1'), arm: 'power-4' };
    given(
      answered([], { keyId: keyId('key_2') }),
      answered([], { city: 'Hanoi' }),
      answered([], { profile: family }),
      answered([], { experiment: { ...arm, groundTruthPower: 4 } }),
      booked({ attribution: { ...attribution, experiment: arm } }),
      visited({ attribution: { ...attribution, experiment: arm } }),
    )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/power-4/',
        cell('2026-11-21', { model: 'power-4', activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/couple/mid/adult/power-4/bkk-ocean-world',
        cell('2026-11-21', { model: 'power-4', booked: 1, confirmed: 1 }),
      )
      .thenDocument(
        '2026-12-24/key_1/Bangkok/couple/mid/adult/power-4/bkk-ocean-world',
        cell('2026-12-24', { model: 'power-4', visited: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_2/Bangkok/couple/mid/adult/default/',
        cell('2026-11-21', { keyId: keyId('key_2'), activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Hanoi/couple/mid/adult/default/',
        cell('2026-11-21', { city: 'Hanoi', activityId: null, requests: 1 }),
      )
      .thenDocument(
        '2026-11-21/key_1/Bangkok/family///default/',
        cell('2026-11-21', {
          travelType: 'family',
          budget: null,
          ageGroup: null,
          activityId: null,
          requests: 1,
        }),
      );
  });
});
