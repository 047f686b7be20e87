import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { modify } from '../../support/modifications.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type AnswerOf, faulty, refused } from '../../support/service-answers.ts';
import { testKey } from '../../support/test-mode.ts';

type Report = AnswerOf<'get /api/analytics/revenue'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** The report with all events so far. */
async function revenue(query = ''): Promise<Report> {
  await service.documents('statements');
  return (await service.get<Report>(`/api/analytics/revenue${query}`, service.analyst)).data;
}

const rows = async (query = '') => (await revenue(query)).items;

const cancel = (id: string, reason: string) => service.post(`/api/bookings/${id}/cancel`, { reason }, service.admin);

/**
 * River walk: two guests, of whom a change makes three; one guest whose booking is cancelled. Sea tunnel: two guests after a
 * recommendation for a couple. Charges of 241.00, 120.50 and 120.50 baht, a refund of 120.50; a charge of 79.80 dollars.
 */
async function aDay(): Promise<void> {
  const { data: walk } = await service.book();
  await modify(service, walk, { num_adults: 3 });
  const { data: cancelled } = await service.book({ num_adults: 1 });
  await cancel(cancelled.booking_id, 'weather');
  const asked = await service.recommend({ location: { city: 'Singapore' } });
  await service.book({ activity_id: 'sea-tunnel', context_log_id: asked.data.context.log_id });
}

const BAHT = { currency: 'THB', charged: 482, refunded: 120.5, retained: 361.5, bookings: 2, guests: 3 };
const DOLLARS = { currency: 'SGD', charged: 79.8, refunded: 0, retained: 79.8, bookings: 1, guests: 2 };

describe('revenue', () => {
  test('has no row without data, then one of each currency', async () => {
    expect(await revenue()).toEqual({ items: [], next_cursor: null });
    await aDay();
    expect(await revenue()).toEqual({ items: [DOLLARS, BAHT], next_cursor: null });
  });

  test.each<[string, readonly object[]]>([
    ['?group_by=currency', [DOLLARS, BAHT]],
    [
      '?group_by=month,city',
      [
        { month: '2026-11', city: 'Bangkok', ...BAHT },
        { month: '2026-11', city: 'Singapore', ...DOLLARS },
      ],
    ],
    [
      '?group_by=currency,activity_id,category',
      [
        { activity_id: 'sea-tunnel', title: 'Sea Tunnel (en)', category: 'cultural', ...DOLLARS },
        { activity_id: 'river-walk', title: 'River Walk (en)', category: 'cultural', ...BAHT },
      ],
    ],
    [
      '?group_by=travel_type,model',
      [
        { travel_type: null, model: null, ...BAHT },
        { travel_type: 'couple', model: 'default', ...DOLLARS },
      ],
    ],
    ['?city=Singapore', [DOLLARS]],
    ['?activity_id=river-walk&group_by=day', [{ day: TODAY, ...BAHT }]],
    [`?from=${TOMORROW}`, []],
  ])('%s', async (query, expected) => {
    await aDay();
    expect<object>(await rows(query)).toEqual(expected);
  });

  test('belongs to the local day of the charge or refund, not to that of the booking', async () => {
    const { data } = await service.book({ num_adults: 1, booking_date: '2026-12-02' });
    // Half past midnight in Bangkok, in the next month.
    service.clock.set(Date.parse('2026-11-30T17:30:00Z'));
    await cancel(data.booking_id, 'weather');
    const counts = { charged: 0, refunded: 0, bookings: 0, guests: 0, currency: 'THB' };
    expect<object>(await rows('?group_by=day')).toEqual([
      { ...counts, day: TODAY, charged: 120.5, retained: 120.5, bookings: 1, guests: 1 },
      { ...counts, day: '2026-12-01', refunded: 120.5, retained: -120.5 },
    ]);
  });

  test('counts no test booking, and is unchanged by an erasure, a restart and a rebuild', async () => {
    await aDay();
    const before = await revenue('?group_by=day,activity_id');
    await service.book({}, await testKey(service));
    for (const { id } of await service.documents('bookings'))
      await service.post(`/api/bookings/${id}/erase`, {}, service.admin);
    expect((await service.events()).some(({ type }) => type.startsWith('GuestErased'))).toBe(true);
    expect(await revenue('?group_by=day,activity_id')).toEqual(before);
    await service.restart();
    expect(await service.rebuild('statements')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await revenue('?group_by=day,activity_id')).toEqual(before);
  });

  test('shows an admin the keys, and an analyst pseudonyms', async () => {
    await aDay();
    const [seen] = await rows('?group_by=key_id&city=Singapore');
    const named = await service.get<Report>('/api/analytics/revenue?group_by=key_id&city=Singapore', service.admin);
    const { data: self } = await service.get<{ id: string }>('/api/keys/self', service.key);
    expect(named.data.items).toEqual([{ key_id: self.id, ...DOLLARS }]);
    expect(seen?.['key_id']).toMatch(/^key_[0-9a-z]{20}$/);
    expect(seen?.['key_id']).not.toBe(self.id);
  });
});

describe('revenue as a table', () => {
  test('in CSV has amounts as decimal numbers, and a link to the next page', async () => {
    await aDay();
    await service.documents('statements');
    const texts: string[] = [];
    let path: string | null = '/api/analytics/revenue?format=csv&group_by=activity_id&limit=1';
    while (path !== null) {
      const answer: Response = await service.send(path, { headers: service.analyst });
      texts.push(await answer.text());
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    const header = 'activity_id,currency,charged,refunded,retained,bookings,guests\r\n';
    expect(texts).toEqual([
      `${header}river-walk,THB,482,120.5,361.5,2,3\r\n`,
      `${header}sea-tunnel,SGD,79.8,0,79.8,1,2\r\n`,
    ]);
  });
});

describe('revenue is refused', () => {
  test('with a column that it does not have', async () => {
    const { refusal } = await service.get('/api/analytics/revenue?group_by=venue_id', service.analyst);
    const columns = 'day, month, city, category, activity_id, key_id, travel_type, budget, age_group, model, currency';
    const sentence = `group_by must be a list, separated by commas, of ${columns}, each at most once; it was "venue_id".`;
    expect<object>(refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test('with the cursor of another grouping', async () => {
    await aDay();
    const { next_cursor } = await revenue('?group_by=activity_id&limit=1');
    const answer = await service.get(`/api/analytics/revenue?group_by=city&cursor=${next_cursor}`, service.analyst);
    const sentence = 'cursor must be the next_cursor of an earlier answer; leave it out to begin at the first page.';
    expect(answer.refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
  });
});
