import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServedFacts } from '../../../src/domain/recommendation/recommendation.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { replay } from '../../../src/recommend/replay.ts';
import { allowHotels, type HotelSigner, hotelSigner } from '../../support/hotels.ts';
import { A_WISH, openService, type Service, TOMORROW } from '../../support/service.ts';
import type { Booking, Recommendations } from '../../support/service-answers.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

const { guestKey, token }: HotelSigner = hotelSigner();
const stranger = hotelSigner();
const RIVER_WALK = 120.5;
const WITH_RATE = 102.43;

/** The Pier House signs tokens for its guests. */
function open(): Promise<Service> {
  return openService({
    catalogue(directory) {
      writeServiceCatalogue(directory);
      const file = join(directory, 'bangkok.json');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('"id":"pier-house"', `"id":"pier-house","guest_key":"${guestKey}"`));
    },
  });
}

let service: Service;
beforeAll(async () => {
  service = await open();
});
afterAll(() => service.stop());

const inSeconds = (ms: number): number => Math.floor(ms / 1_000);

function guestToken(change: object = {}, header: object = {}): string {
  const exp = inSeconds(service.clock.nowMs() + DAY_MS);
  return token({ iss: 'pier-house', aud: 'waymark', exp, ...change }, header);
}

/** The price shown, whether it has the hotel's rate, and the totals of a quote, a booking and a hold after it. */
async function prices(of: Service, location: object) {
  const { data } = await of.recommend({ location });
  const { log_id, hotel_rate } = data.context;
  const shown = data.recommendations.find(({ id }) => id === 'river-walk')?.price;
  return { shown, hotel_rate, paid: await paid(of, log_id) };
}

type Priced = Pick<Booking, 'pricing'>;

/** For one guest. */
async function paid(of: Service, logId: string): Promise<readonly number[]> {
  const wish = { ...A_WISH, num_adults: 1, context_log_id: logId };
  const quote = await of.post<Priced>('/api/b2a/execute_booking', { ...wish, dry_run: true }, of.key);
  const booked = await of.book(wish);
  const size = { activity_id: 'river-walk', booking_date: TOMORROW, num_adults: 1, context_log_id: logId };
  const held = await of.post<Priced & { hold_id: string }>('/api/b2a/holds', size, of.key);
  await of.delete(`/api/b2a/holds/${held.data.hold_id}`, of.key);
  await of.post(`/api/b2a/bookings/${booked.data.booking_id}/cancel`, {}, of.key);
  return [quote, booked, held].map((answer) => answer.data.pricing.total);
}

const times = (price: number): readonly number[] => [price, price, price];

async function contextLog(of: Service, logId: string): Promise<ServedFacts> {
  const stored = (await of.events()).find(({ stream }) => stream === `recommendation-${logId}`);
  // The stream has this one event.
  return stored?.data as ServedFacts;
}

function expectReplayed({ recommendations }: Recommendations, facts: ServedFacts): void {
  const shown = recommendations.map(({ id, available_date, relevance_score }): unknown[] => [
    id,
    available_date,
    relevance_score,
  ]);
  const replayed = replay(facts)?.map(({ activityId, date, scoreCenti }) => [activityId, date, scoreCenti / 100]);
  expect<unknown[][] | undefined>(replayed).toEqual(shown);
}

describe('a hotel_id', () => {
  test('without proof locates, and gives no rate: shown, quoted, booked or held', async () => {
    const asked = await prices(service, { hotel_id: 'pier-house' });
    expect(asked).toEqual({ shown: RIVER_WALK, hotel_rate: false, paid: times(RIVER_WALK) });
    const { data } = await service.recommend({ location: { hotel_id: 'pier-house' } });
    const facts = await contextLog(service, data.context.log_id);
    expect([facts.hotelId as string, facts.position, facts.hotelGrant]).toEqual([
      'pier-house',
      { lat: 13.751, lon: 100.491 },
      undefined,
    ]);
    expectReplayed(data, facts);
  });

  test('gives its rate to a key for which the operator allows it, until the operator takes it back', async () => {
    await using own = await open();
    await allowHotels(own, 'pier-house');
    const asked = await prices(own, { hotel_id: 'pier-house' });
    expect(asked).toEqual({ shown: WITH_RATE, hotel_rate: true, paid: times(WITH_RATE) });
    const { data } = await own.recommend({ location: { hotel_id: 'pier-house' } });
    const walk = data.recommendations.find(({ id }) => id === 'river-walk');
    expect(walk).toMatchObject({ price: WITH_RATE, is_flash_deal: false });
    expect(walk).not.toHaveProperty('original_price');
    expect(walk?.recommendation_reason).toEndWith('The price includes 15% off for guests of The Pier House.');
    const facts = await contextLog(own, data.context.log_id);
    expect(facts.hotelGrant).toEqual({ by: 'key' });
    expectReplayed(data, facts);
    await own.restart();
    expect(await paid(own, data.context.log_id)).toEqual(times(WITH_RATE));
    await allowHotels(own);
    expect(await paid(own, data.context.log_id)).toEqual(times(RIVER_WALK));
  });
});

describe("a hotel's token", () => {
  test('gives its rate, with or without hotel_id, until it ends', async () => {
    await using own = await open();
    const hotel_token = guestToken();
    const rated = { shown: WITH_RATE, hotel_rate: true, paid: times(WITH_RATE) };
    expect(await prices(own, { hotel_token })).toEqual(rated);
    expect(await prices(own, { hotel_id: 'pier-house', hotel_token })).toEqual(rated);
    const { data } = await own.recommend({ location: { hotel_token } });
    const facts = await contextLog(own, data.context.log_id);
    expect(facts.hotelGrant).toEqual({ by: 'token', untilMs: own.clock.nowMs() + DAY_MS });
    expectReplayed(data, facts);
    own.clock.advance(DAY_MS - 1);
    expect(await paid(own, data.context.log_id)).toEqual(times(WITH_RATE));
    own.clock.advance(1);
    expect(await paid(own, data.context.log_id)).toEqual(times(RIVER_WALK));
    expect((await own.recommend({ location: { hotel_token } })).refusal.error).toEndWith(WRONG_TIME);
  });

  test('is stored nowhere', async () => {
    const hotel_token = guestToken();
    await service.recommend({ location: { hotel_token } });
    const signature = hotel_token.slice(hotel_token.lastIndexOf('.') + 1);
    expect(JSON.stringify(await service.events())).not.toContain(signature);
  });

  const WRONG_TIME = 'is not valid at this time; ask the hotel for a new one, or leave it out.';
  const NO_TOKEN = 'is no token of a hotel; send the signed text of the hotel unchanged, or leave it out.';
  const NOT_EDDSA = 'must be signed with Ed25519 (alg "EdDSA", without crit); ask the hotel, or leave it out.';
  const UNSIGNED = 'was not signed by The Pier House, or was changed; ask the hotel for a new one, or leave it out.';
  const NO_HOTEL = 'names no hotel in iss that signs tokens for this service; leave it out.';
  const NO_EXP = 'must have a whole number of seconds in exp; ask the hotel for a new one, or leave it out.';
  const FOREIGN = 'must have "waymark" in aud; ask the hotel for one for this service, or leave it out.';
  const TOO_LONG = 'must end within 31 days; ask the hotel for one that ends with the stay.';
  const now = inSeconds(Date.parse('2026-11-21T03:00:00Z'));
  const changed = (text: string): string => {
    const [head, , signature] = text.split('.');
    const claims = { iss: 'pier-house', aud: 'waymark', exp: now + 60 * 86_400 };
    return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  };
  const WRONG: readonly (readonly [name: string, make: () => string, why: string])[] = [
    ['another text', () => 'pier-house', NO_TOKEN],
    ['four parts', () => `${guestToken()}.x`, NO_TOKEN],
    ['no JSON', () => 'x.y.z', NO_TOKEN],
    ['no signature', () => guestToken({}, { alg: 'none' }), NOT_EDDSA],
    ['a secret as the key', () => guestToken({}, { alg: 'HS256' }), NOT_EDDSA],
    ['a critical extension', () => guestToken({}, { crit: ['b64'], b64: false }), NOT_EDDSA],
    ['an unknown hotel', () => guestToken({ iss: 'rail-inn' }), NO_HOTEL],
    ['no hotel', () => guestToken({ iss: 7 }), NO_HOTEL],
    ['the key of somebody else', () => stranger.token({ iss: 'pier-house', aud: 'waymark', exp: now + 60 }), UNSIGNED],
    ['changed claims', () => changed(guestToken()), UNSIGNED],
    ['another service', () => guestToken({ aud: 'spa' }), FOREIGN],
    ['no end', () => guestToken({ exp: undefined }), NO_EXP],
    ['an end that is no number', () => guestToken({ exp: '2027' }), NO_EXP],
    ['an end now', () => guestToken({ exp: now }), WRONG_TIME],
    ['a later start', () => guestToken({ nbf: now + 1 }), WRONG_TIME],
    ['a long life', () => guestToken({ exp: now + 31 * 86_400 + 1 }), TOO_LONG],
  ];
  test.each(WRONG)('with %s is refused', async (_name, make, why) => {
    const { refusal } = await service.recommend({ location: { hotel_token: make() } });
    const { status, code, error } = refusal;
    expect([status, code, error]).toEqual([400, 'INVALID_LOCATION', `location.hotel_token ${why}`]);
  });

  test('of a list of services, this one among them, or for 31 days, is accepted', async () => {
    for (const change of [{ aud: ['spa', 'waymark'] }, { exp: now + 31 * 86_400 }, { nbf: now }])
      expect((await service.recommend({ location: { hotel_token: guestToken(change) } })).status).toBe(200);
  });

  test('must agree with the other members of the location', async () => {
    for (const [location, start] of [
      [{ hotel_id: 'rail-inn' }, 'location.hotel_token is of pier-house, but location.hotel_id is "rail-inn";'],
      [{ city: 'Singapore' }, 'location.hotel_id "pier-house" is a hotel in Bangkok, but location.city is Singapore;'],
    ] as const) {
      const { refusal } = await service.recommend({ location: { ...location, hotel_token: guestToken() } });
      expect([refusal.code, refusal.error]).toEqual(['INVALID_LOCATION', expect.stringContaining(start)]);
    }
  });
});
