import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ReportedVisit } from '../../../src/domain/booking/events.ts';
import { type LogId, newLogId } from '../../../src/domain/ids.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { verify } from '../../support/booking-life.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { activityId, bookingFacts, bookingId, ISSUED, venueId } from '../../support/examples.ts';
import { unaudited } from '../../support/log-of-service.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';
import { type AnswerOf, faulty } from '../../support/service-answers.ts';
import { type Explored, logged, type Row } from '../../unit/recommend/evaluation/scene.ts';

type Evaluated = AnswerOf<'post /api/ops/evaluations'>;
type Report = NonNullable<Evaluated['report']>;

const PATH = '/api/ops/evaluations';
const DEADLINE_MS = Number.MAX_SAFE_INTEGER;
const RIVER_WALK = { activityId: activityId('river-walk'), venueId: venueId('old-pier') };
const COUPLE = { travelType: 'couple', budget: 'mid', ageGroup: 'adult' } as const;
/** The river walk is first; by ground truth the night market is. */
const ROWS: readonly Row[] = [
  ['river-walk', 1_000, 500],
  ['night-market', 750, 600],
];
const BY_GROUND_TRUTH = {
  name: 'by-ground-truth',
  weights: { profile: 0, ground_truth: 100, weather: 0, time: 0, price: 0 },
} as const;

const post = (service: Service, body: object) => service.post<Evaluated>(PATH, body, service.analyst);

/** Sends the request until it has the report. */
async function reportOf(service: Service, body: object): Promise<Report> {
  for (;;) {
    const { report } = (await post(service, body)).data;
    if (report !== null) return report;
  }
}

/** The id of the n-th answer. */
function log(number: number): LogId {
  return newLogId('live', number, new Uint8Array(6));
}

async function answered(service: Service, id: LogId, change: Partial<ServedFacts> & Explored = {}): Promise<void> {
  const command = { type: 'RecordRecommendation', facts: logged(ROWS, change) } as const;
  const { recommendations } = service.node.context.streams;
  expect((await recommendations.handle(id, command, SOME_CAUSE, DEADLINE_MS)).kind).toBe('accepted');
}

/** A visit of the river walk because of an answer. */
async function visited(service: Service, id: string, logId: LogId, change: Partial<ReportedVisit> = {}) {
  const { bookings } = service.node.context.streams;
  const attribution = { logId, rank: 1, segment: COUPLE };
  const facts = bookingFacts({ attribution, ...RIVER_WALK });
  const confirm = { type: 'ConfirmWithoutVenue', facts, ...ISSUED } as const;
  for (const command of [confirm, verify(change, RIVER_WALK.venueId)])
    expect((await bookings.handle(bookingId(id), command, SOME_CAUSE, DEADLINE_MS)).kind).toBe('accepted');
}

const NOTHING = { value: 0, low: 0, high: 0 };

describe('an evaluation', () => {
  test('counts the answers of the span, and their visits, each activity once', async () => {
    await using service = await openService();
    await answered(service, log(1));
    await answered(service, log(2), { at: '2026-11-22T23:59:59.999Z' });
    await answered(service, log(3), { city: 'Singapore' });
    await answered(service, log(4), { model: 'weights-99' });
    await visited(service, 'bk_1', log(1));
    await visited(service, 'bk_2', log(1));
    await visited(service, 'bk_3', log(3));
    await visited(service, 'bk_4', log(5));
    await evidenceOf(service, 4);
    const counts = async (span: object) => {
      const { answers, visits, other_models } = await reportOf(service, { model: { name: 'same' }, ...span });
      return [answers, visits, other_models];
    };
    expect(await counts({})).toEqual([3, 2, 1]);
    expect(await counts({ city: 'Bangkok' })).toEqual([2, 1, 1]);
    expect(await counts({ from: '2026-11-22' })).toEqual([1, 0, 0]);
    expect(await counts({ from: '2026-11-21', to: '2026-11-21' })).toEqual([2, 2, 1]);
  });

  test('of logs without exploration refuses to conclude, and still describes', async () => {
    await using service = await openService();
    for (const id of [1, 2, 3, 4].map(log)) await answered(service, id);
    expect(await reportOf(service, { model: BY_GROUND_TRUTH })).toEqual({
      model: 'by-ground-truth',
      answers: 4,
      visits: 0,
      other_models: 0,
      visits_per_answer: NOTHING,
      effective_sample: 0,
      differing: 4,
      differing_explored: 0,
      overlap: 0,
      conclusion: 'refused',
      reasons: [
        'No logged answer led to a verified visit that counts.',
        expect.stringContaining('the logs explored in none of them'),
        expect.stringContaining("100.0 % of the model's first places"),
        expect.stringContaining('The effective sample is 0 answers'),
      ],
      snips: null,
      doubly_robust: null,
      difference: null,
      ndcg_at_10: null,
      moves: [
        { activity_id: 'night-market', answers: 4, mean_place_change: -1 },
        { activity_id: 'river-walk', answers: 4, mean_place_change: 1 },
      ],
      place_curve: {
        version: 'places-1',
        places: [1, 2].map((place) => ({
          place,
          answers: 4,
          visits: 0,
          in_force: place ** -0.7,
          estimated: null,
          drawn: 0,
          drawn_visits: 0,
          of_drawn: null,
        })),
      },
    });
  });

  test('of logs that explored has estimates', async () => {
    await using service = await openService();
    for (let number = 0; number < 250; number++) await answered(service, log(number), { propensity: 950_000 });
    await visited(service, 'bk_1', log(1));
    await evidenceOf(service, 1);
    const report = await reportOf(service, { model: { name: 'same', ground_truth_power: 1 } });
    expect(report).toMatchObject({
      conclusion: 'no_difference_shown',
      reasons: [],
      effective_sample: expect.closeTo(250, 6),
      differing: 0,
    });
    expect(report.snips).toEqual({
      value: expect.closeTo(0.004, 10),
      low: expect.any(Number),
      high: expect.any(Number),
    });
  });

  test('counts the visit of a booking that named its log, until the visit is voided', async () => {
    await using service = await openService();
    const { context, recommendations } = (await service.recommend()).data;
    const shown = { activity_id: recommendations[0]?.id, context_log_id: context.log_id };
    const { booking_id, voucher } = (await service.book({ ...shown, booking_date: TODAY })).data;
    for (const gate of Object.values(service.gates)) await service.verify({ code: voucher.code }, gate);
    const visits = async () => (await reportOf(service, { model: { name: 'same' } })).visits;
    await evidenceOf(service, 1);
    expect(await visits()).toBe(1);
    const voided = await service.post('/api/visits/void', { booking_id, reason: 'A mistake.' }, service.admin);
    expect(voided.data).toMatchObject({ voided: 1 });
    await evidenceOf(service, 2);
    // The report is kept for a minute.
    service.clock.advance(60_001);
    expect(await visits()).toBe(0);
  });

  test('stores nothing but its audit', async () => {
    await using service = await openService();
    await answered(service, log(1));
    const before = await unaudited(service);
    await reportOf(service, { model: { name: 'same' } });
    expect(await unaudited(service)).toEqual(before);
  });
});

describe('a request with a fault', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(async () => {
    await service.stop();
  });

  test.each([
    [{ model: { name: '' } }, 'model.name must be a name of 1 to 100 characters in one line; it was "".'],
    [{ model: { ...BY_GROUND_TRUTH, wights: 1 } }, 'unknown field "model.wights"; did you mean "model.weights"?'],
    [
      { model: { ...BY_GROUND_TRUTH, weights: { ...BY_GROUND_TRUTH.weights, profile: 5 } } },
      'model.weights have the sum 105; send weights with the sum 100.',
    ],
    [{ model: { name: 'a', weights: { profile: 100 } } }, 'model.weights must be an object of profile, ground_truth,'],
    [
      { model: { name: 'a', ground_truth_power: 9 } },
      'model.ground_truth_power must be a number from 0 to 8; it was 9.',
    ],
    [{ model: { name: 'a' }, from: '2026-11-22', to: '2026-11-21' }, 'from 2026-11-22 is after to 2026-11-21;'],
  ])('%j is refused', async (body, sentence) => {
    const { refusal } = await post(service, body);
    expect(refusal).toEqual({ ...faulty('INVALID_REQUEST', expect.stringContaining(sentence)) });
  });
});
