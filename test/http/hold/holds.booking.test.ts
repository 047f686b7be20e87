import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf } from '../../support/exposure.ts';
import { hold, quotedAndBooked, readHold, releaseHold, shownFree } from '../../support/holds.ts';
import { allowHotels } from '../../support/hotels.ts';
import { A_WISH, NOW, openService, type Service, TODAY } from '../../support/service.ts';
import { type Quote, refused } from '../../support/service-answers.ts';
import { USUAL_POLICY, writeServiceCatalogue } from '../../support/service-catalogue.ts';

const TEN_MINUTES_MS = 600_000;
const PRICING = { unit_price: 120.5, total_guests: 2, subtotal: 241, discount: 0, total: 241, currency: 'THB' };
/** The river walk's rate for guests of The Pier House: 15 % off, in whole satang. */
const RATE = { ...PRICING, discount: 36.14, total: 204.86 };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** A date of the river walk that no other test has touched. */
let ahead = 0;
const untouched = () => new Date(Date.parse('2027-01-01') + 86_400_000 * ahead++).toISOString().slice(0, 10);

async function held(change: object = {}) {
  const wish = { booking_date: untouched(), ...change };
  return { wish, id: (await hold(service, wish)).data.hold_id };
}

describe('a booking with a hold', () => {
  test('is confirmed, takes exactly the held slots, and uses the hold', async () => {
    const { wish, id } = await held({ num_adults: 10 });
    const { booked } = await quotedAndBooked(service, { ...wish, hold_id: id });
    expect(booked.data).toMatchObject({ status: 'confirmed', ...wish, pricing: { total: 1_205 } });
    expect(await shownFree(service, wish.booking_date)).toBe(0);
    expect((await readHold(service, id)).data.status).toBe('used');
    expect((await service.verify({ code: booked.data.voucher.code })).refusal.code).toBe('VOUCHER_NOT_VALID_TODAY');
  });

  test('is quoted as available at the price of the hold, even if no other slot is free', async () => {
    const { wish, id } = await held({ num_adults: 10 });
    const before = await service.events();
    const quote = async (change: object) =>
      (await service.post<Quote>('/api/b2a/execute_booking', { ...A_WISH, ...change, dry_run: true }, service.key))
        .data;
    expect<object>(await quote({ ...wish, hold_id: id })).toEqual({
      dry_run: true,
      available: true,
      available_slots: 10,
      pricing: { ...PRICING, total_guests: 10, subtotal: 1_205, total: 1_205 },
      confirmation: 'instant',
      cancellation_policy: { free_until: expect.any(String), ...USUAL_POLICY },
    });
    expect(await quote(wish)).toMatchObject({ available: false, available_slots: 0 });
    expect(await service.events()).toEqual(before);
  });

  test('returns the recommendation that it names', async () => {
    await allowHotels(service, 'pier-house');
    const { wish, id } = await held();
    const { log_id } = (await service.recommend()).data.context;
    const { data } = await service.book({ ...wish, hold_id: id, context_log_id: log_id });
    expect(data).toMatchObject({ status: 'confirmed', context_log_id: log_id, pricing: PRICING });
  });

  test('is charged the price of the hold', async () => {
    const { wish, id } = await held();
    const { booking_id } = (await service.book({ ...wish, hold_id: id })).data;
    const charges = (await service.events()).filter(
      ({ stream, type }) => stream === `booking-${booking_id}` && type.startsWith('ChargeRecorded'),
    );
    expect<readonly unknown[]>(charges.map(({ data }) => data)).toEqual([
      { keyId: expect.any(String), amountMinor: 24_100, currency: 'THB' },
    ]);
  });

  test('is possible until the end of the hold, and not at that instant', async () => {
    await using own = await openService();
    const other = await keyOf(own, 'enterprise');
    const [first, second] = [(await hold(own)).data.hold_id, (await hold(own, {}, other)).data.hold_id];
    own.clock.set(NOW + TEN_MINUTES_MS - 1);
    expect((await own.book({ hold_id: first })).data.status).toBe('confirmed');
    own.clock.set(NOW + TEN_MINUTES_MS);
    const sentence = `hold_id "${second}" has expired; make a new hold, or leave hold_id out to book what is free now.`;
    expect((await own.book({ hold_id: second }, other)).refusal).toEqual(
      refused(410, 'HOLD_EXPIRED', sentence, { details: 'expires_at: 2026-11-21T03:10:00.000Z' }),
    );
  });
});

describe('the price of a hold', () => {
  /** Writes a catalogue with another price of the river walk and another rate for the hotel's guests. */
  const dearer = async (own: Service) => {
    writeServiceCatalogue(own.catalogueDirectory);
    const file = join(own.catalogueDirectory, 'bangkok.json');
    const text = readFileSync(file, 'utf8');
    const changed = text.replaceAll('"price":120.5', '"price":200').replace('"percent_off":15', '"percent_off":5');
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    await own.restart();
  };

  test("stays when the catalogue and the hotel's rate change", async () => {
    await using own = await openService();
    await allowHotels(own, 'pier-house');
    const { log_id } = (await own.recommend({ location: { hotel_id: 'pier-house' } })).data.context;
    const anybodys = (await hold(own, { booking_date: TODAY })).data;
    const guests = (await hold(own, { booking_date: TODAY, context_log_id: log_id })).data;
    expect<object[]>([anybodys.pricing, guests.pricing]).toEqual([PRICING, RATE]);
    await dearer(own);
    const wish = { booking_date: TODAY, num_adults: 2 };
    for (const [kept, context] of [
      [anybodys, null],
      [guests, log_id],
    ] as const) {
      expect((await readHold(own, kept.hold_id)).data).toEqual(kept);
      const { quote, booked } = await quotedAndBooked(own, { ...wish, hold_id: kept.hold_id, context_log_id: context });
      expect([quote.data.pricing, booked.data.pricing]).toEqual([kept.pricing, kept.pricing]);
    }
    // Without a hold the new price applies, less the hotel's new rate.
    const now = (await own.book({ ...wish, context_log_id: log_id })).data;
    expect<object>(now.pricing).toEqual({ ...PRICING, unit_price: 200, subtotal: 400, discount: 20, total: 380 });
  });

  test('applies even if the booking names a hotel whose guests pay less', async () => {
    const { wish, id } = await held();
    const { log_id } = (await service.recommend({ location: { hotel_id: 'pier-house' } })).data.context;
    const { booked } = await quotedAndBooked(service, { ...wish, num_adults: 2, hold_id: id, context_log_id: log_id });
    expect<object>(booked.data.pricing).toEqual(PRICING);
  });

  test("does not admit other guests to a hotel's own activity", async () => {
    const { log_id } = (await service.recommend({ location: { hotel_id: 'pier-house' } })).data.context;
    const { wish, id } = await held({ activity_id: 'roof-terrace', context_log_id: log_id });
    expect(
      (await service.book({ activity_id: 'roof-terrace', ...wish, context_log_id: null, hold_id: id })).refusal.code,
    ).toBe('ACTIVITY_UNAVAILABLE');
    expect((await service.book({ ...wish, hold_id: id })).data.status).toBe('confirmed');
  });
});

describe('a booking with a hold is refused, and its quote too,', () => {
  const refusalOf = async (change: Readonly<Record<string, unknown>>) => {
    const { quote, booked } = await quotedAndBooked(service, { num_adults: 2, ...change });
    expect(quote.refusal).toEqual(booked.refusal);
    return booked.refusal;
  };

  test.each<readonly [Readonly<Record<string, unknown>>, ...string[]]>([
    [{ activity_id: 'paper-museum' }, 'activity_id must be river-walk, as it was held; it was paper-museum.'],
    [{ booking_date: '2026-12-30' }, 'booking_date must be 2026-12-29, as it was held; it was 2026-12-30.'],
    [{ num_adults: 1 }, 'num_adults must be 2, as it was held; it was 1.'],
    [{ num_adults: 3 }, 'num_adults must be 2, as it was held; it was 3.'],
    [{ num_children: 1 }, 'num_children must be 0, as it was held; it was 1.'],
    [
      { num_adults: 1, num_children: 1 },
      'num_adults must be 2, as it was held; it was 1.',
      'num_children must be 0, as it was held; it was 1.',
    ],
  ])('if it differs from the hold: %j', async (change, ...sentences) => {
    const wish = { booking_date: '2026-12-29' };
    const { hold_id } = (await hold(service, wish)).data;
    expect(await refusalOf({ ...wish, ...change, hold_id })).toEqual(
      refused(400, 'INVALID_REQUEST', sentences[0] ?? '', { details: sentences.join(' ') }),
    );
    expect((await readHold(service, hold_id)).data.status).toBe('open');
    await releaseHold(service, hold_id);
  });

  test('if the hold was used, and the error names the booking', async () => {
    const { wish, id } = await held();
    const { booking_id } = (await service.book({ ...wish, hold_id: id })).data;
    const sentence = `hold_id "${id}" was used already; see booking_id in details, or make a new hold.`;
    expect(await refusalOf({ ...wish, hold_id: id })).toEqual(
      refused(409, 'HOLD_USED', sentence, { details: `booking_id: ${booking_id}` }),
    );
    expect(await shownFree(service, wish.booking_date)).toBe(8);
  });

  test('after the hold was released', async () => {
    const { wish, id } = await held();
    await releaseHold(service, id);
    const sentence = `hold_id "${id}" was released; make a new hold, or leave hold_id out to book what is free now.`;
    expect(await refusalOf({ ...wish, hold_id: id })).toEqual(
      refused(410, 'HOLD_EXPIRED', sentence, { details: 'expires_at: 2026-11-21T03:10:00.000Z' }),
    );
  });

  test('if the hold does not exist', async () => {
    for (const hold_id of ['hd_00000000000000000000', 'mine', '']) {
      const sentence = `hold_id "${hold_id}" is not a hold of this key; check the id, or book without one.`;
      expect(await refusalOf({ booking_date: untouched(), hold_id })).toEqual(refused(404, 'HOLD_NOT_FOUND', sentence));
    }
  });

  test('if the activity left the catalogue', async () => {
    await using own = await openService();
    const { hold_id } = (await hold(own)).data;
    writeServiceCatalogue(own.catalogueDirectory, ['river-walk']);
    await own.restart();
    expect((await own.book({ hold_id })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
  });
});

describe('a booking with a hold, under an Idempotency-Key,', () => {
  test('is replayed after the end of the hold and a restart', async () => {
    await using own = await openService();
    const { hold_id } = (await hold(own)).data;
    const key = { 'idempotency-key': 'held wish' };
    const { data } = await own.book({ hold_id }, key);
    for (const again of [false, true]) {
      if (again) {
        await own.restart();
        own.clock.advance(TEN_MINUTES_MS);
      }
      const answer = await own.book({ hold_id }, key);
      expect<readonly unknown[]>([answer.data, answer.headers.get('idempotent-replayed')]).toEqual([data, 'true']);
    }
    expect(await shownFree(own)).toBe(8);
  });

  test('differs from a request without the hold, or with another one', async () => {
    const { wish, id } = await held();
    const other = (await hold(service, wish)).data.hold_id;
    const key = { 'idempotency-key': 'this hold' };
    await service.book({ ...wish, hold_id: id }, key);
    for (const hold_id of [other, null])
      expect((await service.book({ ...wish, hold_id }, key)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await readHold(service, other)).data.status).toBe('open');
  });

  test('that was refused leaves the key free for another request', async () => {
    const { wish, id } = await held();
    await releaseHold(service, id);
    const key = { 'idempotency-key': 'too late' };
    expect((await service.book({ ...wish, hold_id: id }, key)).refusal.code).toBe('HOLD_EXPIRED');
    expect((await service.book(wish, key)).data.status).toBe('confirmed');
  });
});
