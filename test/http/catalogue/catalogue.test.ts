import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { openShipped } from '../../support/reckoned.ts';
import { readCityFiles } from '../../support/reckoning.ts';
import { openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';
import { USUAL_POLICY } from '../../support/service-catalogue.ts';

type Activities = AnswerOf<'get /api/b2a/activities'>;
type Details = AnswerOf<'get /api/b2a/activities/:activity_id'>;
type Cities = AnswerOf<'get /api/b2a/cities'>;
type Hotels = AnswerOf<'get /api/b2a/hotels'>;

/** The shipped catalogue, and the small one of the tests. */
let shipped: Service;
let service: Service;
beforeAll(async () => {
  shipped = await openShipped(Date.parse('2026-11-21T03:00:00Z'));
  service = await openService();
});
afterAll(() => Promise.all([shipped.stop(), service.stop()]));

async function read<T>(path: string, of = service, headers: Readonly<Record<string, string>> = {}) {
  return of.get<T>(`/api/b2a/${path}`, { ...of.key, ...headers });
}

async function idsOf(query: string, of = service): Promise<readonly string[]> {
  return (await read<Activities>(`activities?${query}`, of)).data.items.map(({ activity_id }) => activity_id);
}

type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/** The items of a page and of all after it. */
async function itemsFrom<Item>(path: string, cursor: string | null = null): Promise<readonly Item[]> {
  const at = cursor === null ? path : `${path}&cursor=${cursor}`;
  const { items, next_cursor } = (await read<Page<Item>>(at, shipped)).data;
  return next_cursor === null ? items : [...items, ...(await itemsFrom<Item>(path, next_cursor))];
}

async function idsOfAll(query: string): Promise<readonly string[]> {
  const items = await itemsFrom<Activities['items'][number]>(`activities?${query}`);
  return items.map(({ activity_id }) => activity_id);
}

describe('the list of activities', () => {
  test('has what is on sale to everybody, in the requested language', async () => {
    const { data } = await read<Activities>('activities?city=bkk', service, { 'accept-language': 'th' });
    expect(data.items.map(({ activity_id }) => activity_id)).toEqual(['night-market', 'paper-museum', 'river-walk']);
    expect<object | undefined>(data.items.at(-1)).toEqual({
      activity_id: 'river-walk',
      title: 'River Walk (th)',
      category: 'cultural',
      city: 'Bangkok',
      venue_id: 'old-pier',
      venue_name: 'Old Pier',
      price: 120.5,
      currency: 'THB',
      confirmation: 'instant',
    });
  });

  test('is filtered by category and venue, and searched in any language without accents or case', async () => {
    expect(await idsOf('category=nightlife')).toEqual(['night-market']);
    expect(await idsOf('venue=rail-yard')).toEqual(await idsOf('city=Bangkok&q=rail yard'));
    expect(await idsOf('q=MARKET (th)')).toEqual(['night-market']);
    expect(await idsOf('q=nothing of the kind')).toEqual([]);
    // Roof Terrace is for a hotel's guests only.
    expect(await idsOf('q=roof')).toEqual([]);
    const file = readCityFiles(CATALOGUE_DIRECTORY).find(({ city }) => city === 'Hanoi');
    const open = file?.activities.filter((entry) => entry.exclusive_to === undefined) ?? [];
    const titles = open.map(({ id, texts }) => [id, (texts as never as Texts).vi.title] as const);
    expect(titles.length).toBeGreaterThan(9);
    for (const [id, title] of titles.filter(([, each]) => each.length <= 80)) {
      const plain = title
        .normalize('NFD')
        .replace(/\p{Mark}/gu, '')
        .replace(/[đĐ]/g, 'd');
      const found = await idsOf(`city=Hanoi&limit=100&q=${encodeURIComponent(plain.toUpperCase())}`, shipped);
      expect({ title, found: found.includes(id) }).toEqual({ title, found: true });
    }
  });

  test('shows matches in titles first, and every match once over its pages', async () => {
    const everything = readCityFiles(CATALOGUE_DIRECTORY).flatMap(({ activities }) => activities);
    const open = everything.filter((entry) => entry.exclusive_to === undefined).map(({ id }) => id);
    expect(await idsOfAll('limit=7')).toEqual(open.toSorted());
    const spas = await idsOfAll('q=massage&limit=3');
    expect(new Set(spas).size).toBe(spas.length);
    expect(spas).toEqual(await idsOfAll('q=massage&limit=100'));
    const titled = spas.map((id) => /massage/i.test(everything.find((entry) => entry.id === id)?.texts.en.title ?? ''));
    expect(titled[0]).toBe(true);
    expect(spas.length).toBeGreaterThan(3);
  });

  test('refuses an unknown city, venue or cursor, and a search without a letter', async () => {
    for (const [query, code] of [
      ['city=Atlantis', 'INVALID_CITY'],
      ['venue=nonsense', 'INVALID_REQUEST'],
      ['cursor=nonsense', 'INVALID_REQUEST'],
      ['q=!!!', 'INVALID_REQUEST'],
      ['limit=101', 'INVALID_REQUEST'],
      ['category=fun', 'INVALID_REQUEST'],
    ] as const)
      expect((await read(`activities?${query}`)).refusal.code).toBe(code);
  });
});

type Texts = { readonly vi: { readonly title: string } };

describe('an activity', () => {
  test('has its texts, hours, meeting point, policy and next free dates', async () => {
    await using own = await openService();
    const { headers } = await own.book({ activity_id: 'paper-museum', booking_date: TOMORROW, num_adults: 20 });
    await own.book({ activity_id: 'paper-museum', booking_date: TODAY, num_adults: 20 });
    const { data: full } = await own.book({ activity_id: 'paper-museum', booking_date: TODAY, num_adults: 5 });
    expect(full.status).toBe('confirmed');
    const position = { 'x-position': headers.get('x-position') ?? '' };
    const { data } = await read<Details>('activities/paper-museum', own, position);
    const BY_DAY = { open: '09:00', last_entry: '17:00', close: '18:00' };
    expect<object>(data).toMatchObject({
      activity_id: 'paper-museum',
      title: 'Paper Museum (en)',
      description: 'What guests of the Paper Museum do there (en).',
      languages: ['en', 'th', 'vi', 'id', 'ms', 'zh', 'ja', 'ko'],
      hours: { sun: BY_DAY, mon: null, tue: BY_DAY },
      meeting_point: { address: '1 Pier Road, Bangkok 10200', instructions: 'Show the code at the desk (en).' },
      cancellation_policy: USUAL_POLICY,
      images: ['http://localhost/pictures/paper-museum.png'],
      next_free_dates: [
        { date: TOMORROW, available_slots: 5 },
        { date: '2026-11-24', available_slots: 25 },
        { date: '2026-11-25', available_slots: 25 },
        { date: '2026-11-26', available_slots: 25 },
        { date: '2026-11-27', available_slots: 25 },
      ],
    });
  });

  test('that does not exist, or is for guests of a hotel only, is ACTIVITY_NOT_FOUND', async () => {
    for (const id of ['atlantis', 'roof-terrace'])
      expect((await read(`activities/${id}`)).refusal).toEqual(
        refused(404, 'ACTIVITY_NOT_FOUND', `activity_id "${id}" does not exist; take one from inventory.`, {
          resolution: 'choose_other',
        }),
      );
  });
});

describe('the cities', () => {
  test('are all sixteen, each with its present date', async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    const { items } = (await read<Cities>('cities', own)).data;
    expect(items).toHaveLength(16);
    const known = new Map(items.map((each) => [each.city, each]));
    expect<object | undefined>(known.get('Bangkok')).toEqual({
      city: 'Bangkok',
      country: 'TH',
      currency: 'THB',
      time_zone: 'Asia/Bangkok',
      today: TODAY,
      lat: 13.7563,
      lon: 100.5018,
      activities: 3,
    });
    expect(known.get('Bali')?.today).toBe(TOMORROW);
    expect(known.get('Hanoi')?.activities).toBe(0);
  });
});

describe('the hotels', () => {
  test('of a city are those of its file, and each locates a recommendation', async () => {
    const { items } = (await read<Hotels>('hotels?city=Bangkok')).data;
    expect(items.map(({ hotel_id }) => hotel_id)).toContain('pier-house');
    for (const { hotel_id, city } of items) {
      expect(city).toBe('Bangkok');
      expect((await service.recommend({ location: { hotel_id } })).status).toBe(200);
    }
  });

  test('come in pages, each once', async () => {
    const items = await itemsFrom<Hotels['items'][number]>('hotels?limit=10');
    const ids = items.map(({ hotel_id }) => hotel_id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids.length).toBe((await read<Hotels>('hotels?limit=100', shipped)).data.items.length);
    expect(ids.length).toBeGreaterThan(60);
  });
});

test('a key needs the permission recommend or inventory, and either suffices', async () => {
  const statusFor = async (...permissions: readonly string[]) => {
    const caller = withKey((await service.createKey({ permissions })).key);
    return (await service.get('/api/b2a/cities', caller)).status;
  };
  expect([await statusFor('recommend'), await statusFor('inventory')]).toEqual([200, 200]);
  expect(await statusFor('execute_booking', 'webhook')).toBe(403);
});

test('each request counts', async () => {
  const caller = withKey((await service.createKey({ plan: 'free' })).key);
  const left = async (path: string) =>
    (await service.get(`/api/b2a/${path}`, caller)).headers.get('ratelimit')?.match(/"day";r=(\d+)/)?.[1];
  const remaining = [];
  for (const path of ['activities', 'activities/river-walk', 'cities', 'hotels']) remaining.push(await left(path));
  expect(remaining).toEqual(['99', '98', '97', '96']);
});
