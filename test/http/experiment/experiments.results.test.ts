import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import type { Attribution } from '../../../src/domain/booking/facts.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { replay } from '../../../src/recommend/replay.ts';
import { verify } from '../../support/booking-life.ts';
import { answerWith } from '../../support/conversions.ts';
import { activityId, bookingFacts, bookingId, ISSUED, venueId } from '../../support/examples.ts';
import { AN_EXPERIMENT, experimentId } from '../../support/experiments.ts';
import { recordedInTime } from '../../support/log-of-service.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { AN_ASKER, openService, type Service, TODAY } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { testKey } from '../../support/test-mode.ts';

type Started = AnswerOf<'post /api/ops/experiments'>;
type Results = AnswerOf<'get /api/ops/experiments/:id'>;
type Report = AnswerOf<'get /api/analytics/conversions'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

const start = async (change: object = {}): Promise<string> =>
  (await service.post<Started>('/api/ops/experiments', { ...AN_EXPERIMENT, ...change }, service.admin)).data.id;

async function results(id: string): Promise<Results['results']> {
  await service.documents('experimentanswers');
  return (await service.get<Results>(`/api/ops/experiments/${id}`, service.analyst)).data.results;
}

/** The conversions by model. */
async function byModel(): Promise<Report['items']> {
  await service.documents('conversions');
  return (await service.get<Report>('/api/analytics/conversions?group_by=model', service.analyst)).data.items;
}

async function logOf(logId: string): Promise<ServedFacts> {
  const [stored] = (await service.events()).filter(({ stream }) => stream.endsWith(logId));
  if (stored === undefined) throw new Error(`there is no context log ${logId}`);
  return stored.data as ServedFacts;
}

type Arm = 'default' | 'power-4';
const DEADLINE_MS = Number.MAX_SAFE_INTEGER;

/** Answers of an arm, of which the first ones led to a booking, and the first of these to a visit. */
async function answers(
  id: string,
  arm: Arm,
  { count, booked, visited }: Record<'count' | 'booked' | 'visited', number>,
) {
  const experiment = { id: experimentId(id), arm };
  const { recommendations, bookings } = service.node.context.streams;
  const facts = answerWith(['river-walk'], { experiment: { ...experiment, groundTruthPower: 3 } });
  for (let number = 0; number < count; number++) {
    const logId = `rec_${arm}-${number}` as LogId;
    await recommendations.handle(logId, { type: 'RecordRecommendation', facts }, SOME_CAUSE, DEADLINE_MS);
    if (number >= booked) continue;
    const attribution: Attribution = { logId, rank: 1, segment: null, experiment };
    const place = { activityId: activityId('river-walk'), venueId: venueId('old-pier') };
    const command = { type: 'ConfirmWithoutVenue', facts: bookingFacts({ attribution, ...place }), ...ISSUED } as const;
    // Two bookings of one answer, both visited, count once.
    for (const booking of [bookingId(`bk_${arm}-${number}`), bookingId(`bk_${arm}-${number}-again`)]) {
      await bookings.handle(booking, command, SOME_CAUSE, DEADLINE_MS);
      if (number >= visited) continue;
      const scanned = await bookings.handle(booking, verify({}, place.venueId), SOME_CAUSE, DEADLINE_MS);
      expect(scanned.kind).toBe('accepted');
    }
  }
}

describe('the traveller of an experiment', () => {
  test('gets one arm in every answer; the log, the booking and the report name it, and the log reproduces the answer', async () => {
    const id = await start();
    const arms = new Set<string>();
    for (const travelType of TRAVEL_TYPES) {
      const ask = { user_profile: { ...AN_ASKER.user_profile, travel_type: travelType } };
      const { data: first } = await service.recommend(ask);
      const { data: second } = await service.recommend(ask);
      const [log, again] = [await logOf(first.context.log_id), await logOf(second.context.log_id)];
      const { experiment } = log;
      expect(experiment).toBeDefined();
      expect(again.experiment).toEqual(experiment);
      expect(experiment).toEqual({
        id: experimentId(id),
        arm: experiment?.arm ?? '',
        groundTruthPower: experiment?.arm === 'power-4' ? 4 : 3,
      });
      arms.add(experiment?.arm ?? '');
      const sent = first.recommendations.map((each) => `${each.id} ${Math.round(each.relevance_score * 100)}`);
      expect(replay(log)?.map((each) => `${each.activityId} ${each.scoreCenti}`)).toEqual(sent);
      const { data: booking } = await service.book({ booking_date: TODAY, context_log_id: first.context.log_id });
      const stored = (await service.events()).find(({ stream }) => stream === `booking-${booking.booking_id}`);
      expect(stored?.data).toMatchObject({ attribution: { experiment: { id, arm: experiment?.arm } } });
    }
    // Ids are random, so that all travellers may have one arm.
    const counted = await byModel();
    expect(counted.map(({ model }) => String(model))).toEqual([...arms].sort());
    const found = (await results(id)).arms.filter(({ name }) => arms.has(name));
    expect(found.map(({ name, answers: count, booked }) => ({ model: name, requests: count, booked }))).toEqual(
      counted.map(({ model, requests, booked }) => ({
        model: String(model),
        requests: Number(requests),
        booked: Number(booked),
      })),
    );
  });

  test('of a test key is in none', async () => {
    await start();
    const { data } = await service.recommend({}, await testKey(service));
    expect((await logOf(data.context.log_id)).experiment).toBeUndefined();
    expect(await service.documents('experimentanswers')).toEqual([]);
  });
});

describe('the results of an experiment', () => {
  test('count each answer once, with intervals, and name no arm before the stop rule', async () => {
    const id = await start({ answers_per_arm: 100 });
    await answers(id, 'default', { count: 99, booked: 10, visited: 2 });
    await answers(id, 'power-4', { count: 120, booked: 40, visited: 30 });
    const running = await results(id);
    expect(running).toEqual({
      arms: [
        {
          name: 'default',
          answers: 99,
          booked: 10,
          confirmed: 10,
          visited: 2,
          visits_per_100_answers: { value: 2.02, low: 0.56, high: 7.07 },
        },
        {
          name: 'power-4',
          answers: 120,
          booked: 40,
          confirmed: 40,
          visited: 30,
          visits_per_100_answers: { value: 25, low: 18.11, high: 33.44 },
        },
      ],
      difference: { value: 22.98, low: 14.44, high: 31.55 },
      concluded: false,
      conclusion: 'Not concluded: it runs until 2026-12-21T03:00:00.000Z, or until each arm has 100 answers.',
    });
    // Before the process looks the next time, the first arm gets its last answer.
    await answers(id, 'default', { count: 100, booked: 0, visited: 0 });
    await recordedInTime(service, 'ExperimentEnded');
    const { concluded, conclusion } = await results(id);
    expect([concluded, conclusion]).toEqual([
      true,
      'The answers of power-4 led to more visits: the interval of the difference excludes 0.',
    ]);
  });

  test('show no difference if the interval contains 0, and are the same after a rebuild', async () => {
    const id = await start();
    await answers(id, 'default', { count: 20, booked: 4, visited: 2 });
    await answers(id, 'power-4', { count: 20, booked: 4, visited: 3 });
    service.clock.set(Date.parse(AN_EXPERIMENT.ends_at));
    const before = await results(id);
    expect([before.concluded, before.conclusion]).toEqual([true, 'No difference is shown: its interval contains 0.']);
    expect(await service.rebuild('experimentanswers')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await service.rebuild('experiments')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await results(id)).toEqual(before);
  });

  test('by model are a column of the conversions', async () => {
    const id = await start();
    await answers(id, 'power-4', { count: 2, booked: 1, visited: 1 });
    await service.recommend({ location: { city: 'Singapore' } });
    expect(await byModel()).toMatchObject([
      { model: 'default', requests: 1, booked: 0 },
      { model: 'power-4', requests: 2, booked: 2, confirmed: 2, visited: 2 },
    ]);
  });
});
