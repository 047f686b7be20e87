import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MILLION, type ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { replay } from '../../../src/recommend/replay.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import type { AnswerOf, Key, Recommendations } from '../../support/service-answers.ts';

type Explanation = AnswerOf<'get /api/ops/recommendations/:log_id/explanation'>;
type Credentials = Readonly<Record<string, string>>;

/** That none of so many answers explores has a probability of about 2^-100. */
const ANSWERED = Array.from({ length: 100 });

let service: Service;
beforeAll(async () => {
  service = await openService({ settings: { RECOMMEND_EXPLORATION_PERCENT: '50' } });
});
afterAll(() => service.stop());

type Answered = { readonly data: Recommendations; readonly facts: ServedFacts };

/** The answers to equal requests, with their context logs. */
async function answersTo(caller: Credentials): Promise<readonly Answered[]> {
  const all: Recommendations[] = [];
  for (const _ of ANSWERED) all.push((await service.recommend({}, caller)).data);
  const logs = new Map((await service.events()).map(({ stream, data }) => [stream, data]));
  return all.map((data) => {
    const { log_id: logId } = data.context;
    const stream = `recommendation${logId.startsWith('rec_test_') ? 'test' : ''}-${logId}`;
    // Events of these streams have this shape.
    return { data, facts: logs.get(stream) as ServedFacts };
  });
}

async function explanationOf({ data }: Answered): Promise<Explanation> {
  return (await service.get<Explanation>(`/api/ops/recommendations/${data.context.log_id}/explanation`, service.admin))
    .data;
}

describe('with exploration in half of the answers', () => {
  test('some show an activity with the ground truth 1, and each replays to what was sent', async () => {
    const answers = await answersTo(service.key);
    const lifted = answers.filter(({ facts }) => facts.lifted !== undefined);
    expect(lifted.length).toBeGreaterThan(0);
    expect(lifted.length).toBeLessThan(ANSWERED.length);
    for (const { data, facts } of answers) {
      const shown = data.recommendations.map((each) => [each.id, each.available_date, each.relevance_score]);
      const replayed = replay(facts)?.map((each) => [each.activityId, each.date, each.scoreCenti / 100]);
      expect<object | undefined>(replayed).toEqual(shown);
      const place = facts.lifted?.place ?? null;
      const ones = data.recommendations.map(({ score_breakdown }) => score_breakdown.ground_truth === 1);
      expect(ones).toEqual(ones.map((_, index) => index + 1 === place));
    }
  });

  test('the explanation reproduces each answer and shows place and score without exploration', async () => {
    for (const answered of (await answersTo(service.key)).slice(0, 20)) {
      const { reproduced, activities } = await explanationOf(answered);
      expect(reproduced).toBe(true);
      const { lifted } = answered.facts;
      for (const { place, factors, relevance_score: score, without_exploration: without } of activities) {
        const learnt = place === lifted?.place ? lifted.groundTruth / 1_000 : null;
        expect(without?.ground_truth ?? null).toBe(learnt);
        if (without === null) continue;
        const raised = 25 * (factors.ground_truth.value - without.ground_truth);
        expect(Math.abs(score - without.relevance_score - raised)).toBeLessThan(0.011);
      }
    }
  });

  test('the operator switches it off for a key, and on again', async () => {
    const { id, key } = await service.createKey({ exploration: false });
    const caller = withKey(key);
    expect((await answersTo(caller)).map(({ facts }) => facts.propensity)).toEqual(ANSWERED.map(() => MILLION));
    const changed = await service.patch<Key>(`/api/keys/${id}`, { exploration: true }, service.admin);
    expect(changed.data).toMatchObject({ id, exploration: true });
    expect((await answersTo(caller)).some(({ facts }) => facts.lifted !== undefined)).toBe(true);
    await service.patch(`/api/keys/${id}`, { exploration: false }, service.admin);
    expect((await service.get<Key>('/api/keys/self', caller)).data).toMatchObject({ exploration: false });
    expect((await answersTo(caller)).some(({ facts }) => facts.lifted !== undefined)).toBe(false);
  });

  test('a key cannot change it for itself', async () => {
    const { key } = await service.createKey();
    const { refusal } = await service.patch('/api/keys/self', { exploration: false }, withKey(key));
    expect([refusal.code, refusal.error]).toEqual(['INVALID_REQUEST', expect.stringContaining('exploration')]);
  });

  test('answers to test keys do not explore', async () => {
    const { key } = await service.createKey({ mode: 'test' });
    const answers = await answersTo(withKey(key));
    expect(answers.map(({ facts }) => facts.propensity)).toEqual(ANSWERED.map(() => MILLION));
    expect(answers.some(({ facts }) => facts.lifted !== undefined)).toBe(false);
  });
});
