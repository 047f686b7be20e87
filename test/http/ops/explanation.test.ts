import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keyPseudonym } from '../../../src/application/identifiers.ts';
import { recommendationCodec } from '../../../src/domain/recommendation/recommendation.ts';
import { served } from '../../support/examples.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Explanation = AnswerOf<'get /api/ops/recommendations/:log_id/explanation'>;

const CAUSE = { correlationId: 'other', causationId: null, by: 'other', at: '2026-11-21T03:00:00.000Z' };
const LOG = 'rec_06gzznzez9qfdm3bzqmg';
const EARLIER = 'rec_06gzznzez9qfdm3bzqmh';
const UNKNOWN_MODEL = 'rec_06gzznzez9qfdm3bzqmj';

let service: Service;
beforeAll(async () => {
  service = await openService();
  const { ranked } = served();
  const event = (change: object) => recommendationCodec.encode({ type: 'RecommendationServed', data: served(change) });
  await append(LOG, event({ ranked: { ...ranked, from: TODAY } }));
  const { propensity: _propensity, evidence: _evidence, digest: _digest, ...rest } = served({ model: 'weights-1' });
  await append(EARLIER, { type: 'RecommendationServed.v1', data: { ...rest, propensityPerMille: 1_000 } });
  await append(UNKNOWN_MODEL, event({ model: 'weights-9' }));
});
afterAll(() => service.stop());

/** As another release stored it. */
async function append(logId: string, { type, data }: { readonly type: string; readonly data: object }) {
  const { store } = service.node.stores;
  await store.append(`recommendation-${logId}`, -1, [{ id: crypto.randomUUID(), type, data, cause: CAUSE }]);
}

function explanation(logId: string, headers = service.admin) {
  return service.get<Explanation>(`/api/ops/recommendations/${logId}/explanation`, headers);
}

describe('the explanation of a recommendation', () => {
  test('has factors, points, evidence and what would change the order', async () => {
    const { data } = await explanation(LOG);
    const { activities, ...answer } = data;
    expect<object>(answer).toEqual({
      log_id: LOG,
      key_id: 'key_1',
      city: 'Bangkok',
      travel_type: 'couple',
      at: '2026-11-21T03:00:00.000Z',
      model: 'weights-2',
      candidates: 5,
      reproduced: true,
      first_place_probability: 1,
    });
    expect<object | undefined>(activities[0]).toEqual({
      activity_id: 'bkk-wat-pho-massage',
      place: 1,
      shown: true,
      available_date: TODAY,
      relevance_score: 79.5,
      factors: {
        profile: { value: 1, points: 30, change_to_swap: -0.4 },
        ground_truth: { value: 0.5, points: 12.5, change_to_swap: -0.48 },
        weather: { value: 0.9, points: 18, change_to_swap: -0.6 },
        time: { value: 0.8, points: 12, change_to_swap: -0.8 },
        price: { value: 0.7, points: 7, change_to_swap: null },
      },
      evidence: '31 visits by couples, usual is 12',
      without_exploration: null,
    });
    expect(activities.map(({ activity_id, shown, evidence }) => [activity_id, shown, evidence])).toEqual([
      ['bkk-wat-pho-massage', true, '31 visits by couples, usual is 12'],
      ['bkk-ocean-world', true, '1 visit by all travellers, usual is 2.5'],
      ['river-walk', true, '0 visits by all travellers, usual is below 0.1'],
      ['bkk-rooftop', false, null],
    ]);
  });

  test('equals the answer that an agent got', async () => {
    const { data } = await service.recommend({ limit: 2 });
    const { reproduced, activities } = (await explanation(data.context.log_id)).data;
    expect(reproduced).toBe(true);
    const shown = activities.filter((each) => each.shown);
    const explained = shown.map(({ activity_id, available_date, relevance_score, factors }) => {
      const values = Object.entries(factors).map(([name, { value }]) => [name, value]);
      return [activity_id, available_date, relevance_score, Object.fromEntries(values)];
    });
    expect(explained).toEqual(
      data.recommendations.map((each) => [each.id, each.available_date, each.relevance_score, each.score_breakdown]),
    );
  });

  test('shows analysts the pseudonym of the key, and nothing else of it', async () => {
    const { data } = await service.recommend();
    const { key_id: keyId } = (await explanation(data.context.log_id)).data;
    const answer = await explanation(data.context.log_id, service.analyst);
    const { digest } = service.node.context;
    expect(answer.data.key_id).toBe(keyPseudonym(digest, keyId as never));
    expect(JSON.stringify(answer.data)).not.toContain(keyId);
  });

  test('of an earlier release has no evidence and cannot tell whether the answer was reproduced', async () => {
    const { data } = await explanation(EARLIER);
    expect([data.model, data.reproduced, data.first_place_probability]).toEqual(['weights-1', null, 1]);
    expect(data.activities.map(({ place, relevance_score, evidence }) => [place, relevance_score, evidence])).toEqual([
      [1, 79.5, null],
      [2, 67.5, null],
      [3, 55.5, null],
      [4, 47.5, null],
    ]);
  });
});

describe('NOT_FOUND is', () => {
  test.each(['rec_06gzznzez9qfdm3bzqmk', 'rec_', 'bk_06gzznzez9qfdm3bzqmg'])('the log %s', async (logId) => {
    const { status, refusal } = await explanation(logId);
    expect([status, refusal.code]).toEqual([404, 'NOT_FOUND']);
    expect(refusal.error).toContain('send data.context.log_id of an answer of POST /api/b2a/recommend.');
  });

  test('a log of a model that this release does not know', async () => {
    expect((await explanation(UNKNOWN_MODEL)).refusal.error).toBe(
      `The recommendation "${UNKNOWN_MODEL}" was ranked by the model "weights-9"; this release recomputes weights-1 and weights-2.`,
    );
  });
});
