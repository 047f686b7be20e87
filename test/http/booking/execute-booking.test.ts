import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { A_WISH, openService, type Service, TOMORROW } from '../../support/service.ts';
import { type Quote, refused } from '../../support/service-answers.ts';
import { USUAL_POLICY, writeServiceCatalogue } from '../../support/service-catalogue.ts';

const CODE = /^WM-([0-9A-HJKMNP-TV-Z]{20})-[0-9A-HJKMNP-TV-Z]{26}$/;

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

async function quote(change: object = {}) {
  return service.post<Quote>('/api/b2a/execute_booking', { ...A_WISH, ...change, dry_run: true }, service.key);
}

/** Types and data of the events in a booking's stream. */
async function eventsOf(bookingId: string) {
  const events = await service.events();
  return events.filter(({ stream }) => stream === `booking-${bookingId}`).map(({ type, data }) => ({ type, data }));
}

describe('a booking', () => {
  const change = {
    num_children: 1,
    special_requests: 'A pram comes along. Thank you!',
    webhook_url: 'https://agent.example/hooks?of=waymark',
  };

  test('is returned whole, in the requested language', async () => {
    const { data, headers } = await service.book(change, { 'accept-language': 'fr, th;q=0.8, en;q=0.7' });
    const { booking_id: id, voucher } = data;
    expect(id).toMatch(/^bk_[0-9a-hjkmnp-tv-z]{20}$/);
    expect(CODE.exec(voucher.code)?.[1]?.toLowerCase()).toBe(id.slice('bk_'.length));
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    expect(headers.get('idempotent-replayed')).toBeNull();
    expect<object>(data).toEqual({
      booking_id: id,
      mode: 'live',
      status: 'confirmed',
      voucher: {
        code: voucher.code,
        short_code: voucher.code.slice(-10),
        url: `http://localhost/api/vouchers/${voucher.code}`,
        qr_url: `http://localhost/api/vouchers/${voucher.code}/qr.png`,
        valid_until: '2026-11-22T11:00:00.000Z',
        mode: 'live',
      },
      activity: {
        id: 'river-walk',
        title: 'River Walk (th)',
        location: '1 Pier Road, Bangkok 10200',
        check_in_instructions: 'Show the code at the desk (th).',
        venue_id: 'old-pier',
      },
      pricing: {
        unit_price: 120.5,
        total_guests: 3,
        subtotal: 361.5,
        discount: 0,
        total: 361.5,
        currency: 'THB',
      },
      email_sent: false,
      email_sent_at: null,
      booking_date: TOMORROW,
      num_adults: 2,
      user_name: 'Ada Lovelace',
      user_email: 'ada@example.com',
      ...change,
      context_log_id: null,
      reference: null,
      metadata: {},
      created_at: '2026-11-21T03:00:00.000Z',
      code: null,
      cancellation: null,
      visit: null,
      voided_visit: null,
      cancellation_policy: {
        ...USUAL_POLICY,
        text: 'ยกเลิกฟรีจนถึง 24 ชั่วโมงก่อนเวลาเปิดทำการในวันที่จอง หลังจากนั้นหัก 50% ของราคา',
      },
    });
  });

  test('can be read at once, unchanged', async () => {
    const { data } = await service.book({ ...change, activity_id: 'night-market' }, { 'accept-language': 'ja' });
    expect((await service.booking(data.booking_id)).data).toEqual(data);
  });

  test('stores confirmation, charge and voucher in its stream', async () => {
    const { data } = await service.book({ activity_id: 'paper-museum', num_children: 2 });
    const { code } = data.voucher;
    const validFromMs = Date.parse('2026-11-21T17:00:00Z');
    const validUntilMs = Date.parse('2026-11-22T11:00:00Z');
    const [confirmed, ...rest] = await eventsOf(data.booking_id);
    expect(confirmed?.type).toBe('BookingConfirmed.v6');
    expect(rest).toEqual([
      { type: 'ChargeRecorded.v2', data: { keyId: expect.any(String), amountMinor: 100_000, currency: 'THB' } },
      { type: 'VoucherIssued.v1', data: { code, validFromMs, validUntilMs } },
    ]);
  });

  test('shows in the inventory at once if the query sends the position', async () => {
    const slots = async (headers: Record<string, string> = {}) => {
      const { data } = await service.inventory('activity_id=clay-workshop', headers);
      return data.inventory.map((item) => item.available_slots);
    };
    const wish = { activity_id: 'clay-workshop', booking_date: '2026-11-21', num_adults: 1 };
    for (let left = 14; left >= 10; left--) {
      const { headers } = await service.book(wish);
      expect(await slots({ 'x-position': headers.get('x-position') ?? '' })).toEqual([left]);
    }
  });

  test('without an Idempotency-Key is a new booking each time', async () => {
    const wish = { activity_id: 'sea-tunnel', num_adults: 1 };
    const both = [(await service.book(wish)).data, (await service.book(wish)).data];
    expect(new Set(both.map((booking) => booking.booking_id)).size).toBe(2);
    expect(new Set(both.map((booking) => booking.voucher.code.slice(-26))).size).toBe(2);
  });

  test.each([
    [null, 'en'],
    ['*', 'en'],
    ['fr, de', 'en'],
    ['zh-Hant-TW', 'zh'],
    ['en;q=0.1, ko-KR;q=0.9', 'ko'],
    ['vi;q=0, ms', 'ms'],
    ['vi;q=0', 'en'],
  ])('with Accept-Language "%s" speaks %s', async (header, language) => {
    const headers: Record<string, string> = header === null ? {} : { 'accept-language': header };
    const { data } = await service.book({ activity_id: 'sea-tunnel', num_adults: 1 }, headers);
    expect(data.activity.title).toBe(`Sea Tunnel (${language})`);
  });

  test('treats null of an optional field as not sent', async () => {
    const unset = { num_children: null, special_requests: null, webhook_url: null, hold_id: null, dry_run: null };
    const { data } = await service.book({
      ...unset,
      context_log_id: null,
      activity_id: 'sea-tunnel',
    });
    const bare = (await service.book({ activity_id: 'sea-tunnel' })).data;
    expect({ ...data, booking_id: bare.booking_id, voucher: bare.voucher }).toEqual(bare);
  });
});

describe('a price', () => {
  test.each([
    ['whole satang', 'river-walk', '2026-11-23', 3, { unit_price: 120.5, subtotal: 361.5, currency: 'THB' }],
    [
      'cents that no binary fraction is',
      'sea-tunnel',
      TOMORROW,
      3,
      { unit_price: 39.9, subtotal: 119.7, currency: 'SGD' },
    ],
    [
      'a currency without decimals',
      'clay-workshop',
      TOMORROW,
      7,
      { unit_price: 450_000, subtotal: 3_150_000, currency: 'VND' },
    ],
    ['the price of a season', 'paper-museum', '2026-12-20', 5, { unit_price: 300, subtotal: 1_500, currency: 'THB' }],
    [
      'the day before the season',
      'paper-museum',
      '2026-12-19',
      5,
      { unit_price: 250, subtotal: 1_250, currency: 'THB' },
    ],
    [
      'the last day of a season over New Year',
      'paper-museum',
      '2027-01-05',
      1,
      { unit_price: 300, subtotal: 300, currency: 'THB' },
    ],
  ])('is exact: %s', async (_what, activity_id, booking_date, guests, { unit_price, subtotal, currency }) => {
    const wish = { activity_id, booking_date, num_adults: 1, num_children: guests - 1 };
    const pricing = { unit_price, total_guests: guests, subtotal, discount: 0, total: subtotal, currency };
    expect<object>((await quote(wish)).data.pricing).toEqual(pricing);
    expect<object>((await service.book(wish)).data.pricing).toEqual(pricing);
  });
});

describe('a dry run', () => {
  test('quotes what is then charged, and writes nothing', async () => {
    const wish = { booking_date: '2026-11-28', num_children: 2 };
    const pricing = { unit_price: 120.5, total_guests: 4, subtotal: 482, discount: 0, total: 482, currency: 'THB' };
    const before = await service.events();
    const { data, headers } = await quote(wish);
    expect<object>(data).toEqual({
      dry_run: true,
      available: true,
      available_slots: 10,
      pricing,
      confirmation: 'instant',
      // A day before it opens at nine, in Bangkok.
      cancellation_policy: { free_until: '2026-11-27T02:00:00.000Z', ...USUAL_POLICY },
    });
    expect(headers.get('x-position')).toBeNull();
    expect(await service.events()).toEqual(before);
    const booked = (await service.book(wish)).data;
    expect<object>(booked.pricing).toEqual(pricing);
    const charge = {
      type: 'ChargeRecorded.v2',
      data: { keyId: expect.any(String), amountMinor: 48_200, currency: 'THB' },
    };
    expect(await eventsOf(booked.booking_id)).toContainEqual(charge);
  });

  test('is INVENTORY_EXHAUSTED for more guests than free slots', async () => {
    const wish = { booking_date: '2026-11-29', num_adults: 8 };
    await service.book(wish);
    const full = (await quote({ ...wish, num_adults: 3 })).data;
    expect([full.available, full.available_slots]).toEqual([false, 2]);
    const fits = (await quote({ ...wish, num_adults: 2 })).data;
    expect([fits.available, fits.available_slots]).toEqual([true, 2]);
  });

  test('is refused like the booking itself', async () => {
    for (const change of [{ num_adults: 0 }, { activity_id: 'nowhere' }, { booking_date: '2026-11-20' }]) {
      expect((await quote(change)).refusal).toEqual((await service.book(change)).refusal);
    }
  });

  test('leaves its Idempotency-Key unused', async () => {
    const headers = { 'idempotency-key': 'quoted first' };
    const wish = { booking_date: '2026-12-01' };
    expect((await service.book({ ...wish, dry_run: true }, headers)).status).toBe(200);
    const { data, headers: answered } = await service.book({ ...wish, num_adults: 4 }, headers);
    expect(data.status).toBe('confirmed');
    expect(answered.get('idempotent-replayed')).toBeNull();
  });
});

describe('a booking is refused', () => {
  test('of an activity that does not exist', async () => {
    const sentence = 'activity_id "atlantis" does not exist; take one from inventory.';
    expect((await service.book({ activity_id: 'atlantis' })).refusal).toEqual(
      refused(404, 'ACTIVITY_NOT_FOUND', sentence, { resolution: 'choose_other' }),
    );
  });

  test.each(['River Walk', 'River Walk (en)', 'river_walk', 'river-wlak', 'RIVER-WALK'])(
    'of an activity that is named by a title or a misspelt id, which is suggested: %p',
    async (activity_id) => {
      const before = await service.events();
      const sentence = `activity_id "${activity_id}" does not exist; did you mean "river-walk" (River Walk (en))?`;
      const alternatives = [{ activity_id: 'river-walk', title: 'River Walk (en)' }];
      expect((await service.book({ activity_id })).refusal).toEqual(
        refused(404, 'ACTIVITY_NOT_FOUND', sentence, { resolution: 'choose_other', alternatives }),
      );
      expect(await service.events()).toEqual(before);
    },
  );

  test('of a retired activity; its earlier bookings stay', async () => {
    await using own = await openService();
    const { data } = await own.book();
    writeServiceCatalogue(own.catalogueDirectory, ['river-walk']);
    await own.restart();
    expect((await own.book()).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await own.booking(data.booking_id)).data).toEqual(data);
  });

  test('with a hold of another key', async () => {
    const sentence = 'hold_id "hold_7" is not a hold of this key; check the id, or book without one.';
    expect((await service.book({ hold_id: 'hold_7' })).refusal).toEqual(refused(404, 'HOLD_NOT_FOUND', sentence));
  });
});
