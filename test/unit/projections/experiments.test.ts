import { describe, test } from 'bun:test';
import { experimentAnswersProjection } from '../../../projections/experimentanswers/projection.ts';
import { experimentsProjection } from '../../../projections/experiments/projection.ts';
import type { BookingEvent, VisitFacts } from '../../../src/domain/booking/events.ts';
import type { Attribution } from '../../../src/domain/booking/facts.ts';
import type { ExperimentEvent } from '../../../src/domain/experiment/experiment.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import type { RecommendationEvent } from '../../../src/domain/recommendation/recommendation.ts';
import { answerWith } from '../../support/conversions.ts';
import { aVisit, bookingFacts, confirmation } from '../../support/examples.ts';
import { experiment, experimentFacts, experimentId } from '../../support/experiments.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ARM = { id: experimentId('exp_1'), arm: 'power-4' };
const OF_ARM = { experimentId: ARM.id, arm: ARM.arm };
const attribution: Attribution = { logId: 'rec_1' as LogId, rank: 1, segment: null, experiment: ARM };
const ANSWER = 'exp_1/power-4/rec_1';

const answered = (change: Parameters<typeof answerWith>[1] = {}): RecommendationEvent => {
  const data = answerWith(['river-walk'], { experiment: { ...ARM, groundTruthPower: 4 }, ...change });
  return { type: 'RecommendationServed', data };
};
const { keyId, activityId, venueId, city, category } = bookingFacts();
const VISIT: VisitFacts = {
  ...aVisit(),
  keyId,
  activityId,
  venueId,
  city,
  category,
  attribution,
  numGuests: 3,
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
const booked = confirmation({ attribution });

function given(...events: readonly (RecommendationEvent | BookingEvent)[]) {
  const log = recorder();
  const stream = { RecommendationServed: 'recommendation-rec_1' } as Readonly<Record<string, string>>;
  return givenEvents(
    experimentAnswersProjection,
    ...events.map((event) => log(stream[event.type] ?? 'booking-bk_1', event)),
  );
}

describe('the answers of an experiment', () => {
  test('are counted by arm; those of the default model are not', () => {
    given(answered(), answered())
      .thenDocument('exp_1/power-4', { kind: 'arm', ...OF_ARM, answers: 2 })
      .thenDocument('exp_1/default', null);
    given({ type: 'RecommendationServed', data: answerWith(['river-walk']) }).thenDocument('exp_1/power-4', null);
  });

  test('that were booked have a document each, however many bookings and visits there are', () => {
    given(answered(), booked, booked, visited(), visited()).thenDocument(ANSWER, {
      kind: 'answer',
      ...OF_ARM,
      confirmed: true,
      visits: 2,
    });
  });

  test('count neither a disputed visit nor a voided one, in any order', () => {
    const unvisited = { kind: 'answer', ...OF_ARM, confirmed: true, visits: 0 } as const;
    given(booked, visited({ disputed: true })).thenDocument(ANSWER, unvisited);
    given(booked, visited(), voided()).thenDocument(ANSWER, unvisited);
    given(voided(), visited(), booked).thenDocument(ANSWER, unvisited);
  });

  test('that were booked on request are not confirmed until the venue answers', () => {
    const facts = bookingFacts({ attribution });
    const placed = { type: 'BookingPlacedOnRequest', data: { ...facts, follows: null, answerByMs: 1 } } as BookingEvent;
    const waiting = { kind: 'answer', ...OF_ARM, confirmed: false, visits: 0 } as const;
    given(placed).thenDocument(ANSWER, waiting);
    given(placed, booked).thenDocument(ANSWER, { ...waiting, confirmed: true });
  });

  test('do not include bookings outside experiments', () => {
    given(
      confirmation({ attribution: { logId: attribution.logId, rank: 1, segment: null } }),
      confirmation(),
    ).thenDocument(ANSWER, null);
  });
});

test('an experiment has one document, which its end changes', () => {
  const log = recorder();
  const started: ExperimentEvent = { type: 'ExperimentStarted', data: experimentFacts() };
  const ending = { why: 'stop rule', by: 'experiments', at: '2026-12-21T03:00:00.000Z' } as const;
  const ended: ExperimentEvent = { type: 'ExperimentEnded', data: { experimentId: ARM.id, ...ending } };
  const stream = 'experiment-all';
  givenEvents(experimentsProjection, log(stream, started)).thenDocument('exp_1', { ...experiment(), hasEnded: false });
  givenEvents(experimentsProjection, log(stream, started), log(stream, ended)).thenDocument('exp_1', {
    ...experiment({ ended: ending }),
    hasEnded: true,
  });
});
