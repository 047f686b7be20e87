import { describe, expect, test } from 'bun:test';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { date } from '../../support/examples.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type Alternative, refused } from '../../support/service-answers.ts';

const HORIZON = '2027-11-21';

/** Agents book alternatives, so each of them must be bookable. */
async function bookEach(service: Service, alternatives: readonly Alternative[] | undefined, change: object = {}) {
  const others = alternatives ?? [];
  expect(others).not.toEqual([]);
  for (const { activity_id, booking_date } of others) {
    expect((await service.book({ ...change, activity_id, booking_date })).data).toMatchObject({
      booking_date,
      status: 'confirmed',
    });
  }
}

function offered(activity_id: string, available_slots: number, dates: readonly string[]): readonly Alternative[] {
  return dates.map((each) => ({ activity_id, date: each, booking_date: each, available_slots }));
}

function datesOf(alternatives: readonly Alternative[] | undefined) {
  return alternatives?.map(({ booking_date }) => booking_date);
}

describe('a date', () => {
  test('in the past is INVALID_DATE, and the next dates are offered', async () => {
    await using service = await openService();
    const { refusal } = await service.book({ booking_date: '2026-11-20' });
    const sentence = `booking_date 2026-11-20 is in the past; send a date from ${TODAY} (today in Bangkok) to ${HORIZON}.`;
    const next = [0, 1, 2, 3, 4].map((ahead) => addDays(date(TODAY), ahead));
    expect(refusal).toEqual(refused(400, 'INVALID_DATE', sentence, { alternatives: offered('river-walk', 10, next) }));
    await bookEach(service, refusal.alternatives);
  });

  test('can be 365 days ahead at most', async () => {
    await using service = await openService();
    expect((await service.book({ booking_date: HORIZON })).data.booking_date).toBe(HORIZON);
    const { refusal } = await service.book({ booking_date: '2027-11-22' });
    expect(refusal.code).toBe('INVALID_DATE');
    expect(refusal.error).toBe(
      `booking_date 2027-11-22 is too far ahead; send a date from ${TODAY} (today in Bangkok) to ${HORIZON}.`,
    );
    await bookEach(service, refusal.alternatives);
  });

  test.each(['2026-02-30', '2027-02-29', '2026-11-31', '2026-00-10', '0000-00-00'])(
    'that no calendar has is INVALID_DATE: %s',
    async (impossible) => {
      await using service = await openService();
      expect((await service.book({ booking_date: impossible })).refusal).toMatchObject({
        code: 'INVALID_DATE',
        error: `booking_date must be a real calendar date as YYYY-MM-DD; it was "${impossible}"; today in Bangkok is 2026-11-21, tomorrow 2026-11-22.`,
      });
    },
  );

  test('29 February of a leap year is valid', async () => {
    await using service = await openService({ startMs: Date.parse('2028-01-15T03:00:00Z') });
    expect((await service.book({ booking_date: '2028-02-29' })).data.booking_date).toBe('2028-02-29');
  });
});

describe('a day on which the venue is closed', () => {
  test.each([
    ['a weekday', '2026-11-23', ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28']],
    ['a date of the year', '2026-12-05', ['2026-12-06', '2026-12-08', '2026-12-09', '2026-12-10', '2026-12-11']],
  ])('is ACTIVITY_UNAVAILABLE, and open days are offered: %s', async (_what, booking_date, open) => {
    await using service = await openService();
    const { refusal } = await service.book({ activity_id: 'paper-museum', booking_date });
    const sentence = `Paper Museum (en) is closed on ${booking_date}; choose another date (${open.join(', ')}).`;
    expect(refusal).toEqual(
      refused(409, 'ACTIVITY_UNAVAILABLE', sentence, {
        details: `available dates: ${open.join(', ')}`,
        resolution: 'choose_other',
        alternatives: offered('paper-museum', 25, open),
      }),
    );
    await bookEach(service, refusal.alternatives);
  });

  test('offers no date that is sold out', async () => {
    await using service = await openService();
    for (const num_adults of [20, 5]) {
      await service.book({ activity_id: 'paper-museum', booking_date: '2026-11-24', num_adults });
    }
    const { refusal } = await service.book({ activity_id: 'paper-museum', booking_date: '2026-11-23' });
    await bookEach(service, refusal.alternatives);
  });

  test('offers no date beyond the last one that can be booked', async () => {
    await using service = await openService({ startMs: Date.parse('2026-11-18T03:00:00Z') });
    const { refusal } = await service.book({ activity_id: 'paper-museum', booking_date: '2027-11-15' });
    expect(refusal.code).toBe('ACTIVITY_UNAVAILABLE');
    await bookEach(service, refusal.alternatives);
  });
});

describe('today', () => {
  test('is bookable until one millisecond before the last entry', async () => {
    await using service = await openService();
    service.clock.set(Date.parse('2026-11-21T10:00:00Z') - 1);
    const { data } = await service.book({ booking_date: TODAY });
    expect(data.voucher.valid_until).toBe('2026-11-21T11:00:00.000Z');
  });

  test('is ACTIVITY_UNAVAILABLE from the last entry on, and tomorrow is offered', async () => {
    await using service = await openService();
    service.clock.set(Date.parse('2026-11-21T10:00:00Z'));
    const { refusal } = await service.book({ booking_date: TODAY });
    const open = [1, 2, 3, 4, 5].map((ahead) => addDays(date(TODAY), ahead));
    expect(refusal).toEqual(
      refused(
        409,
        'ACTIVITY_UNAVAILABLE',
        `River Walk (en) takes no more guests today; choose another date (${open.join(', ')}).`,
        {
          details: `available dates: ${open.join(', ')}`,
          resolution: 'choose_other',
          alternatives: offered('river-walk', 10, open),
        },
      ),
    );
    await bookEach(service, refusal.alternatives);
  });

  test('at a venue that closes after midnight ends with the day, its voucher at closing time', async () => {
    await using service = await openService();
    const wish = { activity_id: 'night-market', booking_date: TODAY };
    service.clock.set(Date.parse('2026-11-21T16:59:59.999Z'));
    expect((await service.book(wish)).data.voucher.valid_until).toBe('2026-11-21T19:00:00.000Z');
    service.clock.advance(1);
    expect((await service.book(wish)).refusal.code).toBe('INVALID_DATE');
    expect((await service.book({ ...wish, booking_date: TOMORROW })).data.voucher.valid_until).toBe(
      '2026-11-22T19:00:00.000Z',
    );
  });
});

describe('half past eleven in the evening in Bangkok is half past midnight in Singapore', () => {
  const LATE = Date.parse('2026-11-21T16:30:00Z');

  test('so the same date is today here and the past there', async () => {
    await using service = await openService({ startMs: LATE });
    expect((await service.book({ activity_id: 'night-market', booking_date: TODAY })).status).toBe(200);
    expect((await service.book({ activity_id: 'sea-tunnel', booking_date: TODAY })).refusal.error).toBe(
      'booking_date 2026-11-21 is in the past; send a date from 2026-11-22 (today in Singapore) to 2027-11-22.',
    );
  });

  test('and the last date that can be booked is another one', async () => {
    await using service = await openService({ startMs: LATE });
    expect((await service.book({ activity_id: 'sea-tunnel', booking_date: '2027-11-22' })).status).toBe(200);
    expect((await service.book({ activity_id: 'river-walk', booking_date: '2027-11-22' })).refusal.code).toBe(
      'INVALID_DATE',
    );
  });

  test('an hour earlier it is the same day in both', async () => {
    await using service = await openService({ startMs: LATE - 3_600_000 });
    for (const activity_id of ['night-market', 'light-show']) {
      const { refusal } = await service.book({ activity_id, booking_date: '2026-11-20' });
      expect(refusal.error).toInclude(`is in the past; send a date from ${TODAY} (today in `);
    }
  });
});

describe('a date with too few free slots', () => {
  test('is INVENTORY_EXHAUSTED, and dates with enough free slots are offered', async () => {
    await using service = await openService();
    await service.book({ num_adults: 10 });
    await service.book({ booking_date: '2026-11-23', num_adults: 9 });
    const { refusal } = await service.book();
    const dates = ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28'];
    expect(refusal).toEqual(
      refused(
        409,
        'INVENTORY_EXHAUSTED',
        `River Walk (en) has no slots left on 2026-11-22 for 2 guests; choose another date (${dates.join(', ')}).`,
        {
          details: 'available_slots: 0',
          resolution: 'choose_other',
          alternatives: offered('river-walk', 10, dates),
        },
      ),
    );
    await bookEach(service, refusal.alternatives);
  });

  test('for one guest says so', async () => {
    await using service = await openService();
    await service.book({ num_adults: 10 });
    const { refusal } = await service.book({ num_adults: 1 });
    expect(refusal.error).toStartWith(
      'River Walk (en) has no slots left on 2026-11-22 for 1 guest; choose another date (2026-11-23, ',
    );
  });

  test('has the number of free slots, and offers dates with partly free slots too', async () => {
    await using service = await openService();
    await service.book({ num_adults: 7, num_children: 1 });
    await service.book({ booking_date: '2026-11-23', num_adults: 6 });
    const { refusal } = await service.book({ num_children: 1 });
    expect(refusal.error).toBe(
      'River Walk (en) has only 2 slots left on 2026-11-22 for 3 guests; choose another date (2026-11-23, 2026-11-24, 2026-11-25, 2026-11-26, 2026-11-27), or fewer guests.',
    );
    expect(refusal.details).toBe('available_slots: 2');
    expect(refusal.alternatives?.[0]).toEqual({
      activity_id: 'river-walk',
      date: '2026-11-23',
      booking_date: '2026-11-23',
      available_slots: 4,
    });
    await bookEach(service, refusal.alternatives, { num_children: 1 });
  });

  test('skips closed days and a season with fewer slots', async () => {
    await using service = await openService();
    const wish = { activity_id: 'paper-museum', booking_date: '2026-12-18', num_adults: 9 };
    await service.book(wish);
    await service.book(wish);
    const { refusal } = await service.book(wish);
    expect(refusal.details).toBe('available_slots: 7');
    const later = ['2027-01-06', '2027-01-07', '2027-01-08', '2027-01-09'];
    expect(datesOf(refusal.alternatives)).toEqual(['2026-12-19', ...later]);
    await bookEach(service, refusal.alternatives, { num_adults: 9 });
  });

  test('on the last date that can be booked offers no date beyond it', async () => {
    await using service = await openService();
    const wish = { booking_date: HORIZON, num_adults: 10 };
    await service.book(wish);
    const sentence = `River Walk (en) has no slots left on ${HORIZON} for 10 guests; choose another activity.`;
    const more = { details: 'available_slots: 0', resolution: 'choose_other', alternatives: [] } as const;
    expect((await service.book(wish)).refusal).toEqual(refused(409, 'INVENTORY_EXHAUSTED', sentence, more));
  });

  test('is the same after a restart', async () => {
    await using service = await openService();
    await service.book({ num_adults: 10 });
    await service.restart();
    expect((await service.book()).refusal.details).toBe('available_slots: 0');
  });
});

test('the time of a booking comes from the service’s clock', async () => {
  await using service = await openService();
  service.clock.set(NOW + 1_234);
  expect((await service.book()).data).toMatchObject({ created_at: '2026-11-21T03:00:01.234Z' });
});
