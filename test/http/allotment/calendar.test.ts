import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { cancelDate, finishedCancellation } from '../../support/cancelled-dates.ts';
import { hold } from '../../support/holds.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Calendar = AnswerOf<'get /api/calendar'>;
type Row = Calendar['items'][number];

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** The calendar after all events. */
async function calendar(query: string) {
  return service.get<Calendar>(`/api/calendar?${query}`, { ...service.admin, 'x-position': await headOf(service) });
}

async function dates(query: string, activity = 'river-walk'): Promise<Row['dates']> {
  const { data } = await calendar(query);
  return data.items.find(({ activity_id: id }) => id === activity)?.dates ?? [];
}

function setDate(date: string, body: object) {
  return service.put(`/api/activities/river-walk/allotments/${date}`, body, service.admin);
}

const idsIn = ({ items }: Calendar) => items.map(({ activity_id: id }) => id);

const UNTOUCHED: Row['dates'][number] = {
  date: TODAY,
  state: 'open',
  closed_because: null,
  cancelled_because: null,
  capacity: 10,
  sold: 0,
  held: 0,
  free: 10,
  price: 120.5,
  flash_deal: null,
  set_by_operator: [],
};
const CLOSED = { ...UNTOUCHED, state: 'closed' as const, capacity: 0, free: 0, price: null };

describe('the calendar of a city', () => {
  test('has every activity on sale, those for guests of a hotel too, with two weeks from today on', async () => {
    const { data } = await calendar('city=Bangkok');
    expect({ ...data, items: data.items.map(({ dates: shown, ...row }) => [row.activity_id, shown.length]) }).toEqual({
      city: 'Bangkok',
      currency: 'THB',
      today: TODAY,
      from: TODAY,
      to: '2026-12-04',
      items: [
        ['night-market', 14],
        ['paper-museum', 14],
        ['river-walk', 14],
        ['roof-terrace', 14],
      ],
      next_cursor: null,
    });
    expect(data.items[3]).toEqual({
      activity_id: 'roof-terrace',
      title: 'Roof Terrace (en)',
      category: 'dinner',
      venue_id: 'old-pier',
      venue_name: 'Old Pier',
      exclusive_to: 'pier-house',
      overridden: false,
      dates: data.items[3]?.dates ?? [],
    });
  });

  test('shows what is sold, held and free, the price, and what an operator has set', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 3 });
    await hold(service, { booking_date: TOMORROW, num_adults: 2 });
    const expires = '2026-11-22T05:00:00.000Z';
    await setDate(TOMORROW, { capacity: 12, flash_deal: { discount_percent: 40, expires_at: expires } });
    const deal = { discount_percent: 40, expires_at: expires, by: 'operator', price: 72.3, active: false } as const;
    expect(await dates(`city=Bangkok&to=${TOMORROW}`)).toEqual([
      UNTOUCHED,
      {
        ...UNTOUCHED,
        date: TOMORROW,
        capacity: 12,
        sold: 3,
        held: 2,
        free: 7,
        flash_deal: deal,
        set_by_operator: ['capacity'],
      },
    ]);
  });

  test('names dates that are sold out, and nearly', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 9 });
    expect((await dates('city=Bangkok'))[1]).toMatchObject({ state: 'nearly_sold_out', free: 1 });
    await service.book({ booking_date: TOMORROW, num_adults: 1 });
    expect((await dates('city=Bangkok'))[1]).toMatchObject({ state: 'sold_out', free: 0 });
    await setDate(TOMORROW, { capacity: 12 });
    expect((await dates('city=Bangkok'))[1]).toMatchObject({ state: 'open', free: 2 });
  });

  test('says why a date is closed, and keeps showing what was sold on it', async () => {
    await service.book({ activity_id: 'paper-museum', booking_date: '2026-12-04' });
    expect(await dates('city=Bangkok&from=2026-12-05&to=2026-12-07', 'paper-museum')).toEqual([
      { ...CLOSED, date: '2026-12-05', closed_because: 'closed_date' },
      { ...UNTOUCHED, date: '2026-12-06', capacity: 25, free: 25, price: 250 },
      { ...CLOSED, date: '2026-12-07', closed_because: 'weekday' },
    ]);
    const far = await dates('city=Bangkok&from=2027-11-21&to=2027-11-22');
    expect(far.map(({ closed_because: why }) => why)).toEqual([null, 'not_yet_on_sale']);
    await service.put('/api/activities/paper-museum', await withClosed('2026-12-04'), service.admin);
    expect(await dates('city=Bangkok&from=2026-12-04&to=2026-12-04', 'paper-museum')).toEqual([
      { ...CLOSED, date: '2026-12-04', closed_because: 'closed_date', sold: 2 },
    ]);
  });

  test('shows a cancelled date with its reason until its capacity is set', async () => {
    await cancelDate(service, { reason: 'venue_unavailable' });
    const cancelled = { ...UNTOUCHED, date: TOMORROW, state: 'cancelled' as const, capacity: 0, free: 0 };
    const because = { cancelled_because: 'venue_unavailable' as const, set_by_operator: ['capacity' as const] };
    const having = () => dates(`city=Bangkok&from=${TOMORROW}&to=${TOMORROW}&having=cancelled`);
    expect(await having()).toEqual([{ ...cancelled, ...because }]);
    await finishedCancellation(service);
    await setDate(TOMORROW, { capacity: 4 });
    expect((await dates('city=Bangkok'))[1]).toMatchObject({ state: 'open', free: 4, cancelled_because: null });
  });

  test('shows past dates with what was sold', async () => {
    await service.book({ booking_date: TODAY, num_adults: 2 });
    service.clock.set(NOW + 3 * 24 * HOUR_MS);
    const shown = await dates(`city=Bangkok&from=${TODAY}&to=${TODAY}`);
    expect(shown).toEqual([{ ...UNTOUCHED, state: 'past', sold: 2, free: 8 }]);
  });

  test('is the same after a restart and a rebuild', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 3 });
    await hold(service, { booking_date: TOMORROW, num_adults: 2 });
    const before = (await calendar('city=Bangkok')).data;
    await service.restart();
    await service.rebuild('inventory');
    expect((await calendar('city=Bangkok')).data).toEqual(before);
  });

  test('is paged, and filtered by text, category and activity', async () => {
    const first = (await calendar('city=Bangkok&limit=3')).data;
    expect(idsIn(first)).toEqual(['night-market', 'paper-museum', 'river-walk']);
    const second = (await calendar(`city=Bangkok&limit=3&cursor=${first.next_cursor}`)).data;
    expect([idsIn(second), second.next_cursor]).toEqual([['roof-terrace'], null]);
    expect(idsIn((await calendar('city=Bangkok&q=museum')).data)).toEqual(['paper-museum']);
    expect(idsIn((await calendar('city=Bangkok&category=nightlife')).data)).toEqual(['night-market']);
    expect(idsIn((await calendar('activity_id=sea-tunnel')).data)).toEqual(['sea-tunnel']);
  });

  test('finds the activities with a date that is sold out, or that an operator has set', async () => {
    await service.book({ booking_date: TOMORROW, num_adults: 10 });
    expect(idsIn((await calendar('city=Bangkok&having=sold_out')).data)).toEqual(['river-walk']);
    expect(idsIn((await calendar(`city=Bangkok&having=sold_out&to=${TODAY}`)).data)).toEqual([]);
    expect(idsIn((await calendar('city=Bangkok&having=nearly_sold_out')).data)).toEqual([]);
    await setDate(TOMORROW, { capacity: 11 });
    expect(idsIn((await calendar('city=Bangkok&having=nearly_sold_out')).data)).toEqual(['river-walk']);
    expect(idsIn((await calendar('city=Bangkok&having=set_by_operator')).data)).toEqual(['river-walk']);
    await setDate(TODAY, { flash_deal: { discount_percent: 30, expires_at: '2026-11-21T09:00:00Z' } });
    expect(idsIn((await calendar('city=Bangkok&having=deal')).data)).toEqual(['river-walk']);
  });

  test('shows a retired activity only by its id', async () => {
    await service.put('/api/activities/paper-club', { ...(await withClosed()), id: 'paper-club' }, service.admin);
    await service.delete('/api/activities/paper-club', service.admin);
    expect(idsIn((await calendar('city=Bangkok')).data)).not.toContain('paper-club');
    const [shown] = await dates(`activity_id=paper-club&to=${TODAY}`, 'paper-club');
    expect(shown).toEqual({ ...CLOSED, closed_because: 'retired' });
  });

  test('is refused with the field and what to do', async () => {
    for (const [query, code, text] of REFUSED) {
      const { refusal } = await calendar(query);
      expect([query, refusal.code, refusal.error]).toEqual([query, code, expect.stringContaining(text)]);
    }
  });
});

/** The entry of the paper museum as it is, with more closed dates. */
async function withClosed(...closed: readonly string[]) {
  const { data } = await service.get<AnswerOf<'get /api/activities/:activity_id'>>(
    '/api/activities/paper-museum',
    service.admin,
  );
  return { ...data, closed_dates: [...data.closed_dates, ...closed] };
}

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['', 'INVALID_REQUEST', 'city is missing'],
  ['city=Bankok', 'INVALID_CITY', 'Bangkok'],
  ['city=Singapore&activity_id=river-walk', 'ACTIVITY_NOT_FOUND', 'river-walk'],
  ['activity_id=none', 'ACTIVITY_NOT_FOUND', 'none'],
  ['city=Bangkok&from=2026-12-02&to=2026-12-01', 'INVALID_DATE', 'to 2026-12-01 is before from 2026-12-02'],
  ['city=Bangkok&to=2026-12-22', 'INVALID_DATE', 'to 2026-12-22 makes a range of 32 days'],
  ['city=Bangkok&from=1999-01-01', 'INVALID_DATE', 'from 1999-01-01 is too far from today'],
  ['city=Bangkok&limit=51', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 50'],
  ['city=Bangkok&having=sold', 'INVALID_REQUEST', 'having must be one of sold_out'],
  ['activity_id=river-walk&having=sold_out', 'INVALID_REQUEST', 'having must be left out: activity_id selects one'],
  [
    'activity_id=river-walk&q=walk&category=nature&limit=1&cursor=x',
    'INVALID_REQUEST',
    'q, category, limit, cursor must be left out',
  ],
  ['city=Bangkok&venue=old-pier', 'INVALID_REQUEST', 'venue'],
];
