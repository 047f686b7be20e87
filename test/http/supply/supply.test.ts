import { describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { allowHotels } from '../../support/hotels.ts';
import { type Credentials, NOW, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';
import { type CatalogueChanges, writeServiceCatalogue } from '../../support/service-catalogue.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Longer than the time in which requests share the outcome of one refresh. */
const A_WHILE_MS = 5_000;
/** A half-written file. */
const HALF = '{ "city": "Singapore",\n';

type Refreshed = AnswerOf<'post /api/b2a/inventory/refresh'>;
type Status = AnswerOf<'get /api/ops/supply'>;

const edit = (service: Service, changes: CatalogueChanges, without: readonly string[] = []): void =>
  writeServiceCatalogue(service.catalogueDirectory, without, changes);
const fileOf = (service: Service, city: string): string => join(service.catalogueDirectory, `${city}.json`);
const refresh = (service: Service, body: object = {}, key: Credentials = service.key) =>
  service.post<Refreshed>('/api/b2a/inventory/refresh', body, key);
const status = async (service: Service) => (await service.get<Status>('/api/ops/supply', service.analyst)).data;
const iso = (ms: number): string => new Date(ms).toISOString();
const changesOf = async (service: Service) =>
  (await service.events())
    .filter(({ type }) => /^Activity(?:Updated|Retired)\./.test(type))
    .map(({ stream }) => stream);

async function priceOf(service: Service, id: string) {
  return (await service.inventory(`activity_id=${id}&date=${TODAY}`)).data.inventory[0]?.price;
}

/** Waits for a refresh without a request. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}

test('the start reads the files once', async () => {
  await using service = await openService();
  const logged = service.logged.map(({ happening }) => happening).filter((line) => /catalogue|supply/.test(line));
  expect(logged).toEqual(['catalogue loaded']);
});

describe('a changed catalogue file is applied', () => {
  test('on request, without a restart: prices, new and dropped activities', async () => {
    await using service = await openService();
    edit(service, { 'river-walk': { price: 200 } }, ['paper-museum']);
    expect<object>((await refresh(service, { city: 'Krung Thep' })).data).toEqual({
      refreshed: true,
      city: 'Bangkok',
      activity_id: null,
      activities: 3,
      changed: 2,
      last_updated: iso(NOW),
      interpreted: { city: { given: 'Krung Thep', taken: 'Bangkok' } },
    });
    expect(await priceOf(service, 'river-walk')).toBe(200);
    const { recommendations } = (await service.recommend()).data;
    expect(recommendations.map(({ id, price }) => [id, price])).toContainEqual(['river-walk', 200]);
    expect(recommendations.map(({ id }) => id)).not.toContain('paper-museum');
    expect((await service.book()).data.pricing.unit_price).toBe(200);
    expect((await service.book({ activity_id: 'paper-museum' })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect(await changesOf(service)).toEqual(['activity-river-walk', 'activity-paper-museum']);
  });

  test('when the watcher reports the change', async () => {
    await using service = await openService();
    edit(service, { 'river-walk': { price: 200 } });
    await until(async () => (await priceOf(service, 'river-walk')) === 200);
  });

  test('at the interval, if the watcher missed the change', async () => {
    await using service = await openService({ settings: { SUPPLY_REFRESH_MINUTES: '20' } });
    service.clock.advance(20 * MINUTE_MS);
    await until(async () => (await status(service)).looked_at === iso(NOW + 20 * MINUTE_MS));
    expect(await status(service)).toMatchObject({ confirmed_at: iso(NOW + 20 * MINUTE_MS), faults: [] });
  });

  test('once: the next restart has no changes', async () => {
    await using service = await openService();
    edit(service, { 'river-walk': { price: 200 } });
    await refresh(service);
    await service.restart();
    expect(await changesOf(service)).toEqual(['activity-river-walk']);
    expect(await priceOf(service, 'river-walk')).toBe(200);
  });

  test('under an override, which stays effective', async () => {
    await using service = await openService();
    const path = '/api/activities/river-walk';
    const { data } = await service.get(path, service.admin);
    await service.put(path, { ...data, price: 300 }, service.admin);
    edit(service, { 'river-walk': { price: 200 } });
    expect((await refresh(service, { activity_id: 'river-walk' })).data.changed).toBe(1);
    expect(await priceOf(service, 'river-walk')).toBe(300);
    expect((await status(service)).overridden).toEqual(['river-walk']);
    expect((await service.delete(path, service.admin)).data).toMatchObject({ price: 200, override: null });
  });
});

test('last_updated is the later of the last confirmation of the catalogue and the last change of the date', async () => {
  await using service = await openService();
  const updated = async (headers: Credentials = {}): Promise<readonly unknown[]> =>
    (await service.inventory('city=Singapore', headers)).data.inventory.map((item) => Object(item).last_updated);
  expect(await updated()).toEqual([iso(NOW), iso(NOW), iso(NOW)]);
  service.clock.advance(MINUTE_MS);
  const booked = await service.book({ activity_id: 'light-show', booking_date: TODAY });
  const position = { 'x-position': booked.headers.get('x-position') ?? '' };
  expect(await updated(position)).toEqual([iso(NOW + MINUTE_MS), iso(NOW), iso(NOW)]);
  service.clock.advance(MINUTE_MS);
  const later = iso(NOW + 2 * MINUTE_MS);
  expect((await refresh(service)).data.last_updated).toBe(later);
  expect(await updated()).toEqual([later, later, later]);
});

describe('a file with faults', () => {
  test('is not used: its city stays unchanged, others are updated, and an operator sees file, line and field', async () => {
    await using service = await openService();
    edit(service, { 'river-walk': { price: 200 }, 'sea-tunnel': { price: 1 } });
    service.clock.advance(MINUTE_MS);
    const answer = (await refresh(service)).data;
    expect(answer).toMatchObject({ refreshed: false, changed: 1, last_updated: iso(NOW) });
    expect([await priceOf(service, 'river-walk'), await priceOf(service, 'sea-tunnel')]).toEqual([200, 39.9]);
    expect((await service.send('/readyz')).status).toBe(200);
    const fault = {
      file: 'singapore.json',
      line: 1,
      column: expect.any(Number),
      field: 'activities[0].price',
      message: 'must be an amount in SGD from 2 to 800, not 1',
    };
    expect(await status(service)).toMatchObject({
      confirmed_at: iso(NOW),
      looked_at: iso(NOW + MINUTE_MS),
      faults: [fault],
    });
    expect(service.logged.filter(({ level }) => level === 'error')).toMatchObject([
      {
        happening: 'supply has faults; the previous contents stay in use',
        facts: { faults: [`singapore.json:1 activities[0].price: ${fault.message}`] },
      },
    ]);
    edit(service, { 'river-walk': { price: 200 }, 'sea-tunnel': { price: 41 } });
    service.clock.advance(A_WHILE_MS);
    expect((await refresh(service)).data).toMatchObject({ refreshed: true, changed: 1 });
    expect(await priceOf(service, 'sea-tunnel')).toBe(41);
    expect((await status(service)).faults).toEqual([]);
  });

  test('that was never valid is left out, and while it exists no deleted file is dropped', async () => {
    await using service = await openService();
    writeFileSync(fileOf(service, 'singapore'), '');
    writeFileSync(fileOf(service, 'hanoi'), HALF);
    const { refreshed, changed } = (await refresh(service)).data;
    expect([refreshed, changed]).toEqual([false, 0]);
    expect((await status(service)).faults.map(({ file }) => file)).toEqual(['hanoi.json', 'singapore.json']);
    expect(await priceOf(service, 'sea-tunnel')).toBe(39.9);
  });

  test('does not hide that the directory is missing', async () => {
    await using service = await openService();
    rmSync(service.catalogueDirectory, { recursive: true });
    service.clock.advance(A_WHILE_MS);
    expect((await refresh(service)).refusal.code).toBe('SERVICE_UNAVAILABLE');
    const { failure, confirmed_at: confirmedAt } = await status(service);
    expect([failure, confirmedAt]).toEqual([expect.stringContaining('ENOENT'), iso(NOW)]);
    expect((await service.send('/readyz')).status).toBe(200);
    expect(await priceOf(service, 'sea-tunnel')).toBe(39.9);
    writeServiceCatalogue(service.catalogueDirectory);
    await until(async () => {
      service.clock.advance(A_WHILE_MS);
      return (await refresh(service)).status === 200;
    });
    expect(await status(service)).toMatchObject({ failure: null, faults: [] });
  });
});

describe('hotels and exchange rates', () => {
  const ratesOf = (thb: string) => ({
    as_of: '2027-01-31',
    note: 'Made up, for a test of refreshing.',
    units_per_usd: { THB: thb, VND: '20000', IDR: '10000', MYR: '4', SGD: '1.25', USD: '1' },
  });

  test('are applied with the activities', async () => {
    using directory = temporaryDirectory();
    const rates = directory.file('rates.json');
    writeFileSync(rates, JSON.stringify(ratesOf('30')));
    await using service = await openService({ settings: { EXCHANGE_RATES_FILE: rates } });
    const cheap = (city: string) => service.recommend({ location: { city }, filters: { max_price: 500 } });
    // 18 SGD are 14.40 USD: 432 THB at 30 THB per USD, 720 THB at 50.
    expect((await cheap('Singapore')).data.recommendations.map(({ id }) => id)).toEqual(['light-show']);
    writeFileSync(rates, JSON.stringify(ratesOf('50')));
    const bangkok: { hotels: { name: string; rates: object[] }[] } = await Bun.file(fileOf(service, 'bangkok')).json();
    const [hotel] = bangkok.hotels;
    if (hotel === undefined) throw new Error('Bangkok has no hotel');
    hotel.name = 'The Other Pier House';
    hotel.rates = [{ activity: 'night-market', percent_off: 50 }];
    writeFileSync(fileOf(service, 'bangkok'), JSON.stringify(bangkok));
    expect((await refresh(service)).data).toMatchObject({ refreshed: true, changed: 0 });
    expect((await cheap('Singapore')).refusal.code).toBe('NO_ACTIVITIES');
    await allowHotels(service, 'pier-house');
    const guests = await service.recommend({ location: { hotel_id: 'pier-house' } });
    const price = guests.data.recommendations.find(({ id }) => id === 'night-market')?.price;
    expect(price).toBe(175);
    expect((await service.book({ activity_id: 'roof-terrace' })).refusal.error).toContain('The Other Pier House');
    expect((await status(service)).exchange_rates_as_of).toBe('2027-01-31');
  });

  test('with faults stay unchanged, and the catalogue is updated', async () => {
    using directory = temporaryDirectory();
    const rates = directory.file('rates.json');
    writeFileSync(rates, JSON.stringify(ratesOf('30')));
    await using service = await openService({ settings: { EXCHANGE_RATES_FILE: rates } });
    writeFileSync(rates, JSON.stringify(ratesOf('3')));
    edit(service, { 'river-walk': { price: 200 } });
    expect((await refresh(service)).data).toMatchObject({ refreshed: false, changed: 1 });
    const { supply, faults } = service.node.context.supply.status();
    expect(supply.exchangeRates.microUnitsPerUsd.THB).toBe(30_000_000);
    expect(faults).toMatchObject([{ file: rates, field: 'units_per_usd.THB' }]);
  });
});

describe('POST /api/b2a/inventory/refresh', () => {
  test('refuses an unknown city or activity', async () => {
    await using service = await openService();
    const unknown = await refresh(service, { city: 'Atlantis' });
    expect(unknown.refusal).toEqual((await service.inventory('city=Atlantis')).refusal);
    for (const body of [{ activity_id: 'moon-walk' }, { activity_id: 'river-walk', city: 'Singapore' }])
      expect((await refresh(service, body)).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await refresh(service, { activity_id: 7 })).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', 'activity_id must be an activity id; it was 7.', {
        details: 'activity_id must be an activity id; it was 7.',
      }),
    );
  });

  test('reports on one activity, also on a new one', async () => {
    await using service = await openService();
    edit(service, {}, ['river-walk']);
    expect((await refresh(service, { activity_id: 'river-walk' })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    edit(service, {});
    service.clock.advance(A_WHILE_MS);
    const { data } = await refresh(service, { activity_id: 'river-walk' });
    expect(data).toMatchObject({ activities: 1, changed: 1, city: null, activity_id: 'river-walk' });
  });

  test('checks once for concurrent requests, and not at all for requests shortly after', async () => {
    await using service = await openService();
    const other = withKey((await service.createKey()).key);
    service.clock.advance(MINUTE_MS);
    const before = service.node.context.supply.status();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => refresh(service, {}, n % 2 ? other : service.key)),
    );
    expect(new Set(answers.map(({ data }) => data.last_updated))).toEqual(new Set([iso(NOW + MINUTE_MS)]));
    const looked = service.node.context.supply.status();
    expect(looked).not.toBe(before);
    service.clock.advance(1_000);
    await refresh(service);
    expect(service.node.context.supply.status()).toBe(looked);
    service.clock.advance(A_WHILE_MS);
    await refresh(service);
    expect(service.node.context.supply.status()).not.toBe(looked);
  });
});
