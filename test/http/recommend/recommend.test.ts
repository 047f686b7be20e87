import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { createApp } from '../../../src/http/app.ts';
import { replay } from '../../../src/recommend/replay.ts';
import { AN_ASKER, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';
import { USUAL_POLICY } from '../../support/service-catalogue.ts';

const SOLO = { user_profile: { travel_type: 'solo' } };
/** 17:30 in Bangkok: after the last entry of daytime activities. */
const HALF_PAST_FIVE = Date.parse('2026-11-21T10:30:00Z');

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function ids(change: object = {}): Promise<string[]> {
  return (await service.recommend({ ...change })).data.recommendations.map(({ id }) => id);
}

/** The stored context log. Events of this type have this shape. */
async function logOf(logId: string) {
  const events = (await service.events()).filter(({ stream }) => stream === `recommendation-${logId}`);
  expect(events.map(({ type }) => type)).toEqual(['RecommendationServed.v2']);
  return { position: events[0]?.position, facts: events[0]?.data as ServedFacts };
}

describe('an answer', () => {
  test('contains activity, reason, date, price and location', async () => {
    await using own = await openService();
    const { data, headers } = await own.recommend({
      user_profile: { travel_type: 'solo', nationality: 'de', interests: ['nightlife'], budget: 'luxury' },
      location: { city: 'Bangkok', lat: 13.76, lon: 100.55 },
      filters: { categories: ['nightlife'] },
    });
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    expect<object>(data).toEqual({
      recommendations: [
        {
          id: 'night-market',
          title: 'Night Market (en)',
          description: 'What guests of the Night Market do there (en).',
          category: 'nightlife',
          price: 350,
          currency: 'THB',
          relevance_score: 75.92,
          recommendation_reason:
            'It matches your interest in nightlife. The weather is right for being outdoors: 31 °C and a 5% chance of rain. You can still go today.',
          is_flash_deal: false,
          venue_id: 'rail-yard',
          confirmation: 'instant',
          score_breakdown: { profile: 1, ground_truth: 0.5, weather: 0.833, time: 0.575, price: 0.813 },
          images: ['http://localhost/pictures/night-market.png'],
          available_date: TODAY,
          lat: 13.76,
          lon: 100.55,
          cancellation_policy: USUAL_POLICY,
        },
      ],
      context: {
        log_id: expect.stringMatching(/^rec_[0-9a-hjkmnp-tv-z]{20}$/),
        user_profile_summary: 'Solo traveller, from Germany, interested in nightlife, luxury budget',
        environment_summary:
          'Bangkok, Saturday 21 November at 10:00 local time. No forecast was available; usual for November: 28 °C, 2% chance of rain, wind 9 km/h.',
      },
    });
  });

  test('is sorted by score, and the score matches its breakdown', async () => {
    const { recommendations } = (await service.recommend()).data;
    expect(recommendations.length).toBeGreaterThan(1);
    const scores = recommendations.map(({ relevance_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    for (const { relevance_score: score, score_breakdown: breakdown } of recommendations) {
      const { profile, ground_truth, weather, time, price } = breakdown;
      const weighted = 30 * profile + 25 * ground_truth + 20 * weather + 15 * time + 10 * price;
      expect(Math.abs(score - weighted)).toBeLessThanOrEqual(0.0051);
    }
  });

  test('has at most `limit` activities, by default ten', async () => {
    expect(await ids({ limit: 1 })).toHaveLength(1);
    expect(await ids({ limit: 20 })).toEqual(await ids());
  });

  test('marks activities that the venue confirms on request', async () => {
    const { recommendations } = (await service.recommend({ location: { city: 'Bali' } })).data;
    const confirmations = recommendations.map((each) => [each.id, 'confirmation' in each ? each.confirmation : null]);
    const { 'fire-dance': instant, 'village-kitchen': asked } = Object.fromEntries(confirmations);
    expect([instant, asked]).toEqual(['instant', 'on_request']);
  });

  test('leaves out activities exclusive to a hotel’s guests', async () => {
    expect((await ids()).sort()).toEqual(['night-market', 'paper-museum', 'river-walk']);
    expect((await ids({ location: { hotel_id: 'pier-house' } })).sort()).toContain('roof-terrace');
  });

  test('is for today if available, else for a later date', async () => {
    await using own = await openService({ startMs: HALF_PAST_FIVE });
    const { recommendations } = (await own.recommend()).data;
    const dates = Object.fromEntries(recommendations.map(({ id, available_date }) => [id, available_date]));
    expect(dates).toEqual({ 'night-market': TODAY, 'paper-museum': TOMORROW, 'river-walk': TOMORROW });
    const walk = recommendations.find(({ id }) => id === 'river-walk');
    expect(walk?.recommendation_reason).toContain('It can be booked for Sunday 22 November.');
  });

  test('follows bookings: an activity that is full today is offered for another day', async () => {
    await using own = await openService();
    const { headers } = await own.book({ booking_date: TODAY, num_adults: 10 });
    const position = headers.get('x-position') ?? '';
    const { recommendations } = (await own.recommend({}, { 'x-position': position })).data;
    expect(recommendations.find(({ id }) => id === 'river-walk')?.available_date).toBe(TOMORROW);
  });

  test('does not depend on include_flash_deals if there are no deals', async () => {
    await using own = await openService();
    const shown = async (include: boolean) =>
      (await own.recommend({ include_flash_deals: include })).data.recommendations.map(({ id, price }) => [id, price]);
    expect(await shown(false)).toEqual(await shown(true));
  });

  test('needs the permission', async () => {
    const { key } = await service.createKey({ permissions: ['inventory'] });
    expect((await service.recommend({}, withKey(key))).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  });

  test("is refused with 503 when the city's mailbox is full", async () => {
    await using own = await openService();
    const { context } = own.node;
    const unavailable = {
      kind: 'unavailable',
      reason: 'mailbox-full',
      cause: { call: 'ask of city-Bangkok' },
    } as const;
    const full = createApp({ ...context, cities: { ...context.cities, ask: async () => unavailable } });
    const request = new Request('http://localhost/api/b2a/recommend', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...own.key },
      body: JSON.stringify(AN_ASKER),
    });
    const response = await full.handle(request);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
  });
});

describe('the language', () => {
  test.each(LANGUAGES)('%s is that of title, description, reason and summaries', async (language) => {
    const walk = { ...SOLO, filters: { max_price: 200 } };
    const textsIn = async (accepted: string) => {
      const { data } = await service.recommend(walk, { 'accept-language': accepted });
      const [shown] = data.recommendations;
      const { user_profile_summary: profile, environment_summary: environment } = data.context;
      return { shown, texts: [shown?.recommendation_reason, profile, environment] };
    };
    const { shown, texts } = await textsIn(`${language}, en;q=0.1`);
    expect(shown).toMatchObject({
      title: `River Walk (${language})`,
      description: `What guests of the River Walk do there (${language}).`,
    });
    const inEnglish = (await textsIn('en')).texts;
    for (const [index, text] of texts.entries()) {
      expect(text).not.toBeEmpty();
      if (language !== 'en') expect(text).not.toBe(inEnglish[index]);
    }
  });

  test.each([
    ['TH', null, 'th'],
    ['tw', null, 'zh'],
    ['MY', '*', 'ms'],
    ['JP', 'fr, nl', 'ja'],
    ['KR', 'vi', 'vi'],
    ['DE', null, 'en'],
    [null, null, 'en'],
  ])('for nationality %s and Accept-Language %s is %s', async (nationality, accepted, language) => {
    const headers = accepted === null ? undefined : { 'accept-language': accepted };
    const change = { user_profile: { travel_type: 'solo', nationality }, limit: 1 };
    const { data } = await service.recommend(change, headers);
    expect(data.recommendations[0]?.title).toEndWith(`(${language})`);
  });
});

describe('the context log', () => {
  test('is stored before the answer, with all inputs of the ranking', async () => {
    const { data, headers } = await service.recommend({
      user_profile: {
        travel_type: 'family',
        nationality: 'SG',
        interests: ['zoo', 'zoo'],
        budget: 'mid',
        age_group: 'adult',
      },
      location: { lat: 13.751234, lon: 100.491234 },
      filters: { is_indoor: false, max_price: 400.5, categories: [] },
      limit: 2,
      include_flash_deals: false,
    });
    const { facts, position } = await logOf(data.context.log_id);
    expect(position && service.node.context.positions.format(position)).toBe(headers.get('x-position') ?? '');
    expect<object>(facts).toEqual({
      keyId: expect.stringMatching(/^key_/),
      city: 'Bangkok',
      language: 'en',
      profile: { travelType: 'family', nationality: 'SG', interests: ['zoo'], budget: 'mid', ageGroup: 'adult' },
      position: { lat: 13.751, lon: 100.491 },
      hotelId: null,
      filters: { indoor: null, difficulty: null, maxPriceThbMinor: 40_050, categories: null },
      limit: 2,
      includeFlashDeals: false,
      environment: {
        nowMs: service.clock.nowMs(),
        weather: { source: 'climate-normals', temperatureC: 28.1, rainProbability: 0.02, windKmh: 9 },
      },
      model: 'weights-2',
      candidates: 3,
      ranked: { from: TODAY, ids: expect.any(Array), days: '000', factors: expect.stringMatching(/^[0-9a-v]{30}$/) },
      shown: 2,
      propensity: 1_000_000,
      evidence: expect.stringMatching(/^(?:e[0-9a-v]{6}){2}$/),
      digest: expect.stringMatching(/^[0-9a-f]{8}$/),
      at: '2026-11-21T03:00:00.000Z',
    });
  });

  test('replays to the same answer', async () => {
    const { data } = await service.recommend({ user_profile: { travel_type: 'friends', interests: ['nightlife'] } });
    const replayed = replay((await logOf(data.context.log_id)).facts);
    expect<object | undefined>(
      replayed?.map(({ activityId, date, scoreCenti, factors }) => [
        activityId,
        date,
        scoreCenti / 100,
        factors.time / 1_000,
      ]),
    ).toEqual(
      data.recommendations.map(({ id, available_date, relevance_score, score_breakdown }) => [
        id,
        available_date,
        relevance_score,
        score_breakdown.time,
      ]),
    );
  });

  test('is different for each answer', async () => {
    const logs = await Promise.all(Array.from({ length: 20 }, () => service.recommend()));
    expect(new Set(logs.map(({ data }) => data.context.log_id)).size).toBe(20);
  });

  test('is not written for an empty result', async () => {
    const before = (await service.events()).length;
    expect((await service.recommend({ filters: { max_price: 1 } })).status).toBe(404);
    expect(await service.events()).toHaveLength(before);
  });
});

describe('an empty result', () => {
  const nothing = (sentence: string, alternatives?: readonly object[]) =>
    refused(404, 'NO_ACTIVITIES', sentence, { resolution: 'choose_other', ...(alternatives && { alternatives }) });

  test('names the filter to leave out', async () => {
    expect((await service.recommend({ filters: { max_price: 200, categories: ['nightlife'] } })).refusal).toEqual(
      nothing('Nothing in Bangkok matches all filters; leave out filters.max_price: 1 activity matches then.', [
        { leave_out: 'filters.max_price', activities: 1 },
        { leave_out: 'filters.categories', activities: 1 },
      ]),
    );
  });

  test('says that no single filter is the cause', async () => {
    const filters = { is_indoor: true, difficulty: 'challenging', max_price: 1 };
    expect((await service.recommend({ filters })).refusal).toEqual(
      nothing(
        'Nothing in Bangkok matches the filters, and no single one of them is the cause; leave out several: without any there are 3.',
      ),
    );
  });

  test('in a city without activities names cities with activities', async () => {
    expect((await service.recommend({ location: { city: 'Hanoi' }, filters: { max_price: 1 } })).refusal).toEqual(
      nothing('There is nothing to do in Hanoi within the next 7 days; choose another city.', [
        { city: 'Bangkok' },
        { city: 'Ho Chi Minh' },
        { city: 'Bali' },
        { city: 'Singapore' },
      ]),
    );
  });
});

describe('the exchange rates', () => {
  const ratesIn = async (location: object, filters: object) => {
    const { data } = await service.recommend({ ...SOLO, location, filters });
    return data.context.exchange_rates;
  };

  test('are in the answer, with their date, if prices were converted', async () => {
    expect(await ratesIn({ city: 'Singapore' }, { max_price: 100_000 })).toEqual({
      as_of: '2026-11-01',
      units_per_usd: { THB: 32.4, SGD: 1.285 },
    });
  });

  test('are not in the answer if no price was converted', async () => {
    expect(await ratesIn({ city: 'Singapore' }, {})).toBeUndefined();
    expect(await ratesIn({ city: 'Bangkok' }, { max_price: 100_000 })).toBeUndefined();
  });
});
