import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { date } from '../../support/examples.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const later = (days: number) => addDays(date(TODAY), days);

async function refusalOf(query: string, of = service) {
  const { refusal } = await of.inventory(query);
  return [refusal.code, refusal.error];
}

describe('a range of dates', () => {
  test('is answered without a read of a stream or of a read model', async () => {
    const { store, readModels } = service.node.stores;
    using read = spyOn(store, 'read');
    using find = spyOn(readModels, 'find');
    using load = spyOn(readModels, 'load');
    for (const query of ['city=Bangkok', 'activity_id=night-market']) {
      const { data } = await service.inventory(`${query}&date_to=${later(6)}`);
      expect(data.inventory.map(({ activity_id }) => activity_id)).toContain('night-market');
    }
    expect([read, find, load].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  });

  test('has the items of each date, the first date first, and counts all of them', async () => {
    const days = [0, 1, 2, 3, 4, 5, 6].map(later);
    const alone = await Promise.all(
      days.map(async (day) => (await service.inventory(`city=Bangkok&date=${day}`)).data),
    );
    const items = alone.flatMap(({ inventory }) => inventory);
    const { data } = await service.inventory(`city=Bangkok&date_to=${later(6)}&limit=5`);
    expect(data).toEqual({
      inventory: items.slice(0, 5),
      metadata: {
        total_results: items.length,
        flash_deals_count: 0,
        query_date: TODAY,
        query_date_to: later(6),
        city: 'Bangkok',
      },
    });
    expect((await service.inventory(`city=Bangkok&date=today&date_to=${later(6)}&limit=50`)).data.inventory).toEqual(
      items,
    );
  });

  test('of one activity has each of its open dates, with the slots that are left', async () => {
    await using own = await openService();
    const { headers } = await own.book({ activity_id: 'paper-museum', booking_date: '2026-11-24', num_adults: 5 });
    const position = { 'x-position': headers.get('x-position') ?? '' };
    const { data } = await own.inventory('activity_id=paper-museum&date=tomorrow&date_to=2026-11-25', position);
    expect(data.inventory.map((item) => [item.date, item.available_slots])).toEqual([
      [TOMORROW, 25],
      ['2026-11-24', 20],
      ['2026-11-25', 25],
    ]);
  });

  test('covers at most 31 dates, from the first one on', async () => {
    const { data } = await service.inventory(`activity_id=river-walk&date=${TOMORROW}&date_to=${later(31)}&limit=50`);
    expect(data.inventory).toHaveLength(31);
    const today = 'today in Bangkok is 2026-11-21, tomorrow 2026-11-22';
    expect(await refusalOf(`city=Bangkok&date_to=${later(31)}`)).toEqual([
      'INVALID_DATE',
      `date_to ${later(31)} makes a range of 32 days from date ${TODAY}; send a date from ${TODAY} to ${later(30)}; ${today}.`,
    ]);
    expect(await refusalOf(`city=Bangkok&date=${later(3)}&date_to=${TOMORROW}`)).toEqual([
      'INVALID_DATE',
      `date_to ${TOMORROW} is before date ${later(3)}; send a date from ${later(3)} to ${later(33)}; ${today}.`,
    ]);
    expect((await refusalOf('city=Bangkok&date=2027-11-20&date_to=2027-11-22'))[0]).toBe('INVALID_DATE');
    expect((await refusalOf('city=Bangkok&date_to=soon'))[0]).toBe('INVALID_DATE');
  });

  test("begins with the city's own today: at half past eleven in Bangkok it is tomorrow in Bali", async () => {
    await using own = await openService({ startMs: Date.parse('2026-11-21T16:30:00Z') });
    const firstIn = async (city: string) => (await own.inventory(`city=${city}&date_to=2026-11-23`)).data.metadata;
    expect(await firstIn('Bangkok')).toMatchObject({ query_date: TODAY, query_date_to: '2026-11-23' });
    expect(await firstIn('Bali')).toMatchObject({ query_date: TOMORROW, query_date_to: '2026-11-23' });
    expect((await refusalOf(`city=Bali&date_to=${TODAY}`, own))[0]).toBe('INVALID_DATE');
  });
});

describe('the alternatives of NO_INVENTORY', () => {
  test('are the next dates with enough free slots, one activity for each, and can be booked', async () => {
    await using own = await openService();
    const sold = await Promise.all(
      [TODAY, TOMORROW, '2026-11-24'].map((booking_date) => own.book({ booking_date, num_adults: 8 })),
    );
    const position = {
      'x-position':
        sold
          .map(({ headers }) => headers.get('x-position') ?? '')
          .toSorted()
          .at(-1) ?? '',
    };
    const query = `activity_id=river-walk&min_slots=5&date_to=${TOMORROW}`;
    const { refusal } = await own.inventory(query, position);
    const dates = ['2026-11-23', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28'];
    const sentence = `Nothing in Bangkok from ${TODAY} to ${TOMORROW} matches; try another date (${dates.join(', ')}), or fewer filters.`;
    const alternatives = dates.map((each) => ({ activity_id: 'river-walk', date: each, available_slots: 10 }));
    expect(refusal).toEqual(refused(404, 'NO_INVENTORY', sentence, { resolution: 'choose_other', alternatives }));
    for (const { activity_id, date: booking_date } of refusal.alternatives ?? [])
      expect((await own.book({ activity_id, booking_date, num_adults: 5 })).data.status).toBe('confirmed');
  });

  test('of a city fit the filters; without any they are empty', async () => {
    await using own = await openService();
    own.clock.set(Date.parse('2026-11-21T10:00:00Z'));
    const { refusal } = await own.inventory('city=Bangkok&category=cultural&max_price=200');
    expect(refusal.alternatives?.[0]).toEqual({ activity_id: 'river-walk', date: TOMORROW, available_slots: 10 });
    expect((await own.inventory('city=Bangkok&category=zoo')).refusal.alternatives).toEqual([]);
  });

  test('of flash_deals_only are at full price', async () => {
    const dates = [TODAY, TOMORROW, '2026-11-23', '2026-11-24', '2026-11-25'];
    const sentence = `There is no flash deal in Bangkok on ${TODAY}; leave flash_deals_only out (${dates.join(', ')}).`;
    const alternatives = dates.map((each) => ({ activity_id: 'river-walk', date: each, available_slots: 10 }));
    expect((await service.inventory('city=Bangkok&flash_deals_only=true')).refusal).toEqual(
      refused(404, 'NO_INVENTORY', sentence, { resolution: 'choose_other', alternatives }),
    );
  });
});

test('a listed activity can be booked at its price', async () => {
  await using own = await openService();
  for (const query of ['city=Bangkok', 'city=Singapore', 'city=Saigon&date=2027-11-21']) {
    const { inventory, metadata } = (await own.inventory(query)).data;
    expect(inventory).not.toEqual([]);
    for (const { activity_id, price } of inventory) {
      const wish = { activity_id, booking_date: metadata.query_date, num_adults: 1 };
      expect((await own.book(wish)).data.pricing.unit_price).toBe(price);
    }
  }
});
