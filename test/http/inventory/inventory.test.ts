import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { headOf } from '../../support/log-of-service.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { faulty, type Inventory, refused } from '../../support/service-answers.ts';
import { entry, USUAL_POLICY, writeCatalogueFile, writeServiceCatalogue } from '../../support/service-catalogue.ts';

const CITIES =
  'Bangkok, Phuket, Chiang Mai, Pattaya, Krabi, Ho Chi Minh, Hanoi, Da Nang, Nha Trang, Bali, Jakarta, Yogyakarta, Kuala Lumpur, Penang, Langkawi, Singapore';

const DATE_RULE = 'date must be a date as YYYY-MM-DD, or today, tomorrow or a weekday';
const TODAY_IN_BANGKOK = `today in Bangkok is ${TODAY}, tomorrow ${TOMORROW}`;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

function idsOf({ inventory }: Inventory): readonly string[] {
  return inventory.map((item) => item.activity_id);
}

async function listed(query: string): Promise<readonly string[]> {
  return idsOf((await service.inventory(query)).data);
}

/** A city with many identical activities. */
function writeWalks(directory: string, ids: readonly string[]): void {
  mkdirSync(directory, { recursive: true });
  const venue = { id: 'beach', name: 'Beach', address: '1 Beach Road, Krabi', lat: 8.08, lon: 98.9 };
  const activities = ids.map((id) => entry({ id, venue: 'beach', name: 'Walk', capacity: 10, price: 100 }));
  writeCatalogueFile(directory, { city: 'Krabi', venues: [venue], hotels: [], activities });
}

/** `others`: the dates that are offered, with the free slots of the activity. */
const nothing = (city: string, day: string, activity_id = '', available_slots = 0, others: readonly string[] = []) => {
  const named = others.length === 0 ? '' : ` (${others.join(', ')})`;
  const sentence = `Nothing in ${city} on ${day} matches; try another date${named}, or fewer filters.`;
  const alternatives = others.map((date) => ({ activity_id, date, available_slots }));
  return refused(404, 'NO_INVENTORY', sentence, { resolution: 'choose_other', alternatives });
};

const ITEM = {
  date: TODAY,
  cancellation_policy: USUAL_POLICY,
  is_flash_deal: false,
  last_updated: '2026-11-21T03:00:00.000Z',
  confirmation: 'instant',
};
const RIVER_WALK = {
  ...ITEM,
  activity_id: 'river-walk',
  title: 'River Walk (en)',
  category: 'cultural',
  available_slots: 10,
  price: 120.5,
  currency: 'THB',
  operating_hours: '09:00-18:00',
  venue_id: 'old-pier',
};
const PAPER_MUSEUM = {
  ...RIVER_WALK,
  activity_id: 'paper-museum',
  title: 'Paper Museum (en)',
  available_slots: 25,
  price: 250,
};
const NIGHT_MARKET = {
  ...ITEM,
  activity_id: 'night-market',
  title: 'Night Market (en)',
  category: 'nightlife',
  available_slots: 30,
  price: 350,
  currency: 'THB',
  operating_hours: '18:00-02:00',
  venue_id: 'rail-yard',
};

describe('the inventory of a city', () => {
  test('lists what can be booked today, cheapest first', async () => {
    expect<object>((await service.inventory('city=Bangkok')).data).toEqual({
      inventory: [RIVER_WALK, PAPER_MUSEUM, NIGHT_MARKET],
      metadata: { total_results: 3, flash_deals_count: 0, query_date: TODAY, city: 'Bangkok' },
    });
  });

  test('is sorted by id at the same price', async () => {
    expect(await listed('city=Singapore')).toEqual(['light-show', 'rope-garden', 'sea-tunnel']);
  });

  test('has prices in the city’s currency', async () => {
    const { inventory } = (await service.inventory('city=Ho+Chi+Minh')).data;
    expect(inventory).toMatchObject([{ activity_id: 'clay-workshop', price: 450_000, currency: 'VND' }]);
  });

  test('of a date lists what can be booked on that date', async () => {
    const { data } = await service.inventory('city=Bangkok&date=2026-12-24');
    expect(data.metadata).toMatchObject({ query_date: '2026-12-24' });
    const christmas = { ...PAPER_MUSEUM, date: '2026-12-24', available_slots: 8, price: 300 };
    expect<object>(data.inventory[1] ?? {}).toEqual(christmas);
  });

  test.each([
    ['krung thep', 'Bangkok'],
    [' BANGKOK ', 'Bangkok'],
    ['bkk', 'Bangkok'],
    ['Bángkôk', 'Bangkok'],
    ['Saigon', 'Ho Chi Minh'],
    ['HCMC', 'Ho Chi Minh'],
    ['Thành phố Hồ Chí Minh', 'Ho Chi Minh'],
    ['ho-chi-minh', 'Ho Chi Minh'],
    ['singapura', 'Singapore'],
  ])('is found by the other names of the city: %s', async (name, city) => {
    const { data } = await service.inventory(`city=${encodeURIComponent(name)}`);
    expect(data.metadata).toMatchObject({ city });
  });

  test('uses the requested language, else English', async () => {
    const titleIn = async (language: string) =>
      (await service.inventory('activity_id=river-walk', { 'accept-language': language })).data.inventory;
    expect(await titleIn('id-ID, en;q=0.5')).toMatchObject([{ title: 'River Walk (id)' }]);
    expect(await titleIn('pt')).toMatchObject([{ title: 'River Walk (en)' }]);
  });

  test('lists activities that the venue confirms on request, and marks them', async () => {
    const { inventory } = (await service.inventory('city=Bali')).data;
    expect<readonly object[]>(inventory).toMatchObject([
      { activity_id: 'village-loom', confirmation: 'instant' },
      { activity_id: 'fire-dance', confirmation: 'instant' },
      { activity_id: 'village-kitchen', confirmation: 'on_request' },
    ]);
  });

  test('of an unknown city is INVALID_CITY, with the supported cities as alternatives', async () => {
    const sentence = `city "Atlantis" is not in the service area; it must be one of ${CITIES}.`;
    const { refusal } = await service.inventory('city=Atlantis');
    const alternatives = CITIES.split(', ').map((city) => ({ city }));
    expect(refusal).toEqual({ ...faulty('INVALID_CITY', sentence), alternatives });
  });

  test('of a city without activities is NO_INVENTORY', async () => {
    const sentence = 'Waymark lists no activity in Hanoi yet; try one of Bangkok, Ho Chi Minh, Bali, Singapore.';
    expect((await service.inventory('city=Hanoi')).refusal).toEqual(
      refused(404, 'NO_INVENTORY', sentence, { resolution: 'choose_other', alternatives: [] }),
    );
  });
});

describe('an activity', () => {
  test('can be requested with or without its city', async () => {
    const metadata = { total_results: 1, flash_deals_count: 0, query_date: TODAY, city: 'Bangkok' };
    for (const query of ['activity_id=night-market', 'activity_id=night-market&city=Bangkok']) {
      expect<object>((await service.inventory(query)).data).toEqual({ inventory: [NIGHT_MARKET], metadata });
    }
  });

  test('or a city is required', async () => {
    const sentence = `city is missing; send one of ${CITIES}, or an activity_id.`;
    expect((await service.inventory('')).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test('that was removed from the catalogue is not listed', async () => {
    await using own = await openService();
    await own.book();
    writeServiceCatalogue(own.catalogueDirectory, ['river-walk']);
    await own.restart();
    expect(idsOf((await own.inventory('city=Bangkok')).data)).toEqual(['paper-museum', 'night-market']);
    expect((await own.inventory('activity_id=river-walk')).refusal.code).toBe('ACTIVITY_NOT_FOUND');
  });
});

describe('an activity that cannot be booked is not listed', () => {
  test('on a day on which the venue is closed', async () => {
    for (const [day, ...others] of [
      ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28'],
      ['2026-12-05', '2026-12-06', '2026-12-08', '2026-12-09', '2026-12-10', '2026-12-11'],
    ] as const) {
      expect(await listed(`city=Bangkok&date=${day}`)).toEqual(['river-walk', 'night-market']);
      const alone = `activity_id=paper-museum&date=${day}`;
      const { refusal } = await service.inventory(alone);
      expect(refusal).toEqual(nothing('Bangkok', day, 'paper-museum', 25, others));
    }
  });

  test('from the last entry on', async () => {
    await using own = await openService();
    own.clock.set(Date.parse('2026-11-21T10:00:00Z') - 1);
    expect(idsOf((await own.inventory('city=Bangkok')).data)).toEqual(['river-walk', 'paper-museum', 'night-market']);
    own.clock.advance(1);
    expect(idsOf((await own.inventory('city=Bangkok')).data)).toEqual(['night-market']);
    expect(idsOf((await own.inventory(`city=Bangkok&date=${TOMORROW}`)).data)).toHaveLength(3);
  });

  test('when it is sold out; before that, the free slots and the time of the last change are shown', async () => {
    await using own = await openService();
    own.clock.advance(60_000);
    const cheapest = async () =>
      (await own.inventory(`city=Bangkok&date=${TOMORROW}`, { 'x-position': await headOf(own) })).data.inventory[0];
    await own.book({ num_adults: 6, num_children: 3 });
    const last_updated = '2026-11-21T03:01:00.000Z';
    expect<object | undefined>(await cheapest()).toEqual({
      ...RIVER_WALK,
      date: TOMORROW,
      available_slots: 1,
      last_updated,
    });
    await own.book({ num_adults: 1 });
    expect<object | undefined>(await cheapest()).toEqual({ ...PAPER_MUSEUM, date: TOMORROW });
  });
});

describe('a filter', () => {
  test.each([
    ['category=nightlife', ['night-market']],
    ['category=cultural', ['river-walk', 'paper-museum']],
    ['min_slots=11', ['paper-museum', 'night-market']],
    ['min_slots=30', ['night-market']],
    ['max_price=120.5', ['river-walk']],
    ['max_price=120.49&min_slots=1', null],
    ['max_price=349.99', ['river-walk', 'paper-museum']],
    ['max_price=350.00', ['river-walk', 'paper-museum', 'night-market']],
    ['category=cultural&min_slots=11&max_price=300', ['paper-museum']],
    ['category=spa', null],
    ['category=dinner', null],
    ['min_slots=31', null],
    ['activity_id=river-walk&category=nightlife', null],
    ['flash_deals_only=false', ['river-walk', 'paper-museum', 'night-market']],
  ])('%s', async (query, expected) => {
    const answer = await service.inventory(`city=Bangkok&${query}`);
    if (expected === null) expect(answer.refusal).toEqual(nothing('Bangkok', TODAY));
    else {
      expect(idsOf(answer.data)).toEqual(expected);
      expect(answer.data.metadata.total_results).toBe(expected.length);
    }
  });

  test('limit is 20 by default', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `walk-${String(index).padStart(2, '0')}`);
    await using own = await openService({ catalogue: (directory) => writeWalks(directory, ids) });
    for (const [query, shown] of [
      ['city=Krabi', 20],
      ['city=Krabi&limit=50', 50],
    ] as const) {
      const { data } = await own.inventory(query);
      expect(idsOf(data)).toEqual(ids.slice(0, shown));
      expect(data.metadata.total_results).toBe(60);
    }
  });

  test('limit shortens the list, not total_results', async () => {
    for (const limit of [1, 2, 3, 50]) {
      const { inventory, metadata } = (await service.inventory(`city=Bangkok&limit=${limit}`)).data;
      expect([inventory.length, metadata.total_results]).toEqual([Math.min(limit, 3), 3]);
    }
  });
});

test('an invalid X-Position causes no wait', async () => {
  for (const position of ['', 'soon', '-', '7'.repeat(65)]) {
    expect((await service.inventory('city=Bangkok', { 'x-position': position })).status).toBe(200);
  }
});

describe('an invalid parameter is refused, never adjusted', () => {
  const RULES = {
    category: 'one of spa, dinner, theme-park, zoo, aquarium, adventure, cultural, nightlife',
    flash_deals_only: 'true or false',
    min_slots: 'a whole number from 1',
    max_price: "an amount above 0 in the city's currency",
    limit: 'a whole number from 1 to 50',
  } as const;
  test.each([
    ['category', ['', 'Spas', 'food', '7']],
    ['flash_deals_only', ['', '1', 'yes', ' true']],
    ['min_slots', ['0', '-1', '1.5', 'one', '', '1e2', '0x10']],
    ['max_price', ['0', '-5', 'cheap', '', '1,000', 'NaN', 'Infinity']],
    ['limit', ['0', '51', '-1', '2.5', 'all', '']],
  ] as const)('%s', async (name, values) => {
    for (const value of values) {
      const shown = /^-?\d+(\.\d+)?$/.test(value) && name !== 'category' ? value : JSON.stringify(value);
      const sentence = `${name} must be ${RULES[name]}; it was ${name === 'flash_deals_only' ? JSON.stringify(value) : shown}.`;
      expect((await service.inventory(`city=Bangkok&${name}=${value}`)).refusal).toEqual(
        faulty('INVALID_REQUEST', sentence),
      );
    }
  });

  test('max_price with more decimals than the currency has', async () => {
    const sentence = (currency: string, amount: string) =>
      `max_price must be an amount in ${currency} with that currency's decimals; it was ${amount}.`;
    expect((await service.inventory('city=Bangkok&max_price=120.505')).refusal).toEqual(
      faulty('INVALID_REQUEST', sentence('THB', '120.505')),
    );
    for (const about of ['city=Saigon', 'activity_id=clay-workshop']) {
      expect((await service.inventory(`${about}&max_price=450000.5`)).refusal).toEqual(
        faulty('INVALID_REQUEST', sentence('VND', '450000.5')),
      );
    }
    expect(await listed('city=Saigon&max_price=450000')).toEqual(['clay-workshop']);
  });

  test('of several, the first in the parameter table gives the code, and details names all', async () => {
    const { refusal } = await service.inventory('city=Bangkok&limit=0&date=soon&category=food');
    const sentences = [
      `${DATE_RULE}; it was "soon"; ${TODAY_IN_BANGKOK}.`,
      `category must be ${RULES.category}; it was "food".`,
      'limit must be a whole number from 1 to 50; it was 0.',
    ];
    expect(refusal).toEqual(refused(400, 'INVALID_DATE', sentences[0] ?? '', { details: sentences.join(' ') }));
  });

  test('also if the check depends on the city: a past date comes before an invalid limit', async () => {
    const limit = `limit must be ${RULES.limit}; it was 0.`;
    for (const [about, city] of [
      ['city=Bangkok', 'Bangkok'],
      ['activity_id=light-show', 'Singapore'],
      // Existence is checked only for valid requests.
      ['city=Bangkok&activity_id=atlantis', 'Bangkok'],
    ]) {
      const sentence = `date 2026-11-20 is in the past; send a date from ${TODAY} (today in ${city}) to 2027-11-21.`;
      expect((await service.inventory(`${about}&date=2026-11-20&limit=0`)).refusal).toEqual(
        refused(400, 'INVALID_DATE', sentence, { details: `${sentence} ${limit}` }),
      );
    }
    const unknown = await service.inventory('activity_id=atlantis&date=2026-11-20');
    expect(unknown.refusal.code).toBe('ACTIVITY_NOT_FOUND');
  });

  test('an unknown or missing city comes first', async () => {
    const unknown = (await service.inventory('city=Atlantis&date=soon&limit=0')).refusal;
    expect([unknown.code, unknown.error.slice(0, 15)]).toEqual(['INVALID_CITY', 'city "Atlantis"']);
    const missing = (await service.inventory('date=soon&limit=0')).refusal;
    expect([missing.code, missing.error.slice(0, 15)]).toEqual(['INVALID_REQUEST', 'city is missing']);
    for (const { details } of [unknown, missing]) expect(details).toInclude('limit must be ');
  });
});
