import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { replay } from '../../../src/recommend/replay.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { seededRandom } from '../../chaos/kill/random.ts';
import { openShipped, untouched } from '../../support/reckoned.ts';
import { daysAfter, itemsOf, readCityFiles, wallClock } from '../../support/reckoning.ts';
import { type Credentials, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { testKey } from '../../support/test-mode.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** `id date` of each recommendation, sorted. */
async function found(change: object, of = service): Promise<readonly string[]> {
  const { data } = await of.recommend({ limit: 20, ...change });
  return data.recommendations.map(({ id, available_date }) => `${id} ${available_date}`).toSorted();
}

async function refusalOf(change: Readonly<Record<string, unknown>>, of = service) {
  const { code, error } = (await of.recommend(change)).refusal;
  return [code, error];
}

describe('recommend for a date', () => {
  test('has only what is open on it, at its price', async () => {
    const { data } = await service.recommend({ date: '2026-12-24' });
    const museum = data.recommendations.find(({ id }) => id === 'paper-museum');
    expect(museum).toMatchObject({ available_date: '2026-12-24', price: 300 });
    // The museum is closed on Mondays.
    expect(await found({ date: '2026-12-28' })).toEqual(['night-market 2026-12-28', 'river-walk 2026-12-28']);
  });

  test('says what it understood, of the place too, in the time zone of the place', async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    const interpretedIn = async (city: string) => {
      const data: object = (await own.recommend({ location: { city }, date: 'tomorrow' })).data;
      return 'interpreted' in data ? data.interpreted : null;
    };
    expect([await interpretedIn(' krung THEP '), await interpretedIn('Sentosa')]).toEqual([
      {
        'location.city': { given: ' krung THEP ', taken: 'Bangkok' },
        date: { given: 'tomorrow', taken: '2026-11-22' },
      },
      {
        'location.city': { given: 'Sentosa', taken: 'Singapore' },
        date: { given: 'tomorrow', taken: '2026-11-23' },
      },
    ]);
  });

  test('refuses a misspelt place with the nearest, and an unreadable date with today there', async () => {
    const { refusal } = await service.recommend({ location: { city: 'Bangkk' } });
    expect(refusal.error).toBe('location.city "Bangkk" is not a known place; did you mean "Bangkok"?');
    expect([refusal.code, refusal.alternatives?.[0]]).toEqual(['INVALID_LOCATION', { city: 'Bangkok' }]);
    expect(await refusalOf({ location: { city: 'Sentosa' }, date: 'soon' })).toEqual([
      'INVALID_DATE',
      'date must be a date as YYYY-MM-DD, or today, tomorrow or a weekday; it was "soon"; today in Singapore is 2026-11-21, tomorrow 2026-11-22.',
    ]);
  });

  test('understands words, and without one looks seven days ahead', async () => {
    expect(await found({ date: 'tomorrow' })).toEqual(await found({ date: TOMORROW }));
    expect(await found({ date: 'Monday' })).toEqual(await found({ date: '2026-11-23' }));
    expect(await found({ date: 'today', date_to: '2026-11-28' })).toEqual(await found({}));
  });

  test('in a range takes the best of its dates', async () => {
    const dates = (await found({ date: '2026-11-23', date_to: '2026-11-25' })).map((each) => each.slice(-10));
    expect(dates).toHaveLength(3);
    expect(dates.every((each) => each >= '2026-11-23' && each <= '2026-11-25')).toBe(true);
  });

  test('describes noon of the first date, and counts the wait from its start', async () => {
    const { data } = await service.recommend({ date: '2026-12-24' });
    expect(data.context.environment_summary).toStartWith(
      'Bangkok, Thursday 24 December at 12:00 local time. No forecast was available; usual for December: ',
    );
    const time = async (date: string) => {
      const { recommendations } = (await service.recommend({ date })).data;
      return recommendations.find(({ id }) => id === 'river-walk')?.score_breakdown.time;
    };
    expect(await time('2027-02-24')).toBe(await time('2026-12-24'));
  });

  test('must be on sale, and at most ten dates', async () => {
    const today = 'today in Bangkok is 2026-11-21, tomorrow 2026-11-22';
    expect(await refusalOf({ date: '2026-11-20' })).toEqual([
      'INVALID_DATE',
      `date 2026-11-20 is in the past; send a date from ${TODAY} (today in Bangkok) to 2027-11-21.`,
    ]);
    expect(await refusalOf({ date: TOMORROW, date_to: '2026-12-02' })).toEqual([
      'INVALID_DATE',
      `date_to 2026-12-02 makes a range of 11 days from date ${TOMORROW}; send a date from ${TOMORROW} to 2026-12-01; ${today}.`,
    ]);
    expect((await refusalOf({ date_to: '2027-11-22' }))[0]).toBe('INVALID_DATE');
    expect(await found({ date: '2027-11-21' })).toHaveLength(3);
  });

  test("is the city's own date: at half past eleven in Bangkok it is tomorrow in Bali", async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    expect((await refusalOf({ location: { city: 'Bali' }, date: TODAY }, own))[0]).toBe('INVALID_DATE');
    const inBali = await found({ location: { city: 'Bali' }, date: 'today' }, own);
    expect(inBali).not.toEqual([]);
    expect(inBali.every((each) => each.endsWith(TOMORROW))).toBe(true);
    expect(await found({ date: 'today' }, own)).toEqual([`night-market ${TODAY}`]);
  });
});

describe('recommend for several guests', () => {
  test('has only what is free for all of them', async () => {
    await using own = await openService();
    const { headers } = await own.book({ booking_date: '2026-11-24', num_adults: 8 });
    const position = { 'x-position': headers.get('x-position') ?? '' };
    const walks = async (guests: number) => {
      const { data } = await own.recommend({ date: '2026-11-24', guests }, position);
      return data.recommendations.filter(({ id }) => id === 'river-walk').length;
    };
    expect([await walks(2), await walks(3)]).toEqual([1, 0]);
    expect(await found({ guests: 26 }, own)).toEqual([`night-market ${TODAY}`]);
  });

  test('has for a test key what test bookings have left', async () => {
    await using own = await openService();
    const key = await testKey(own);
    const { headers } = await own.book({ booking_date: '2026-11-24', num_adults: 8 }, key);
    const position = { 'x-position': headers.get('x-position') ?? '' };
    const walks = async (by: Credentials) => {
      const { data } = await own.recommend({ date: '2026-11-24', guests: 3 }, { ...by, ...position });
      return data.recommendations.filter(({ id }) => id === 'river-walk').length;
    };
    expect([await walks(key), await walks(own.key)]).toEqual([0, 1]);
  });

  test('has a bound, and says when nothing is large enough', async () => {
    expect((await refusalOf({ guests: 31 }))[0]).toBe('BOOKING_LIMIT_EXCEEDED');
    expect((await refusalOf({ guests: 0 }))[0]).toBe('INVALID_REQUEST');
    const change = { location: { city: 'Saigon' }, date: TOMORROW, guests: 30 };
    expect(await refusalOf(change)).toEqual([
      'NO_ACTIVITIES',
      `There is nothing to do in Ho Chi Minh from ${TOMORROW} to ${TOMORROW} for 30 guests; choose other dates, fewer guests or another city.`,
    ]);
  });
});

test('the context log has the question, and replays to the answer', async () => {
  await using own = await openService();
  const { data } = await own.recommend({ date: '2026-12-22', date_to: '2026-12-31', guests: 4 });
  const [stored] = (await own.events()).filter(({ stream }) => stream === `recommendation-${data.context.log_id}`);
  // Events of this type have this shape.
  const facts = stored?.data as ServedFacts;
  expect(stored?.type).toBe('RecommendationServed.v2');
  expect(facts).toMatchObject({ days: { from: '2026-12-22', to: '2026-12-31' }, guests: 4 });
  expect(replay(facts)?.map((each) => [each.activityId, each.date, each.scoreCenti / 100] as const)).toEqual(
    data.recommendations.map(
      ({ id, available_date, relevance_score }) => [id, available_date, relevance_score] as never,
    ),
  );
});

test('on any date the candidates are those that the catalogue’s files say', async () => {
  await using shipped = await openShipped(Date.parse('2026-11-21T03:00:00Z'));
  const known = untouched(shipped);
  const random = seededRandom(48);
  for (const file of readCityFiles(CATALOGUE_DIRECTORY)) {
    const date = daysAfter(wallClock(file.city, shipped.clock.nowMs()).date, random.whole(0, 364));
    const guests = random.whole(1, 30);
    const expected = itemsOf(file, date, shipped.clock.nowMs(), known)
      .filter((item) => item.available_slots >= guests)
      .map((item) => `${item.activity_id} ${date}`);
    const shown = await found({ location: { city: file.city }, date, guests }, shipped);
    expect({ date, guests, shown }).toEqual({ date, guests, shown: expected.toSorted().slice(0, 20) });
  }
});
