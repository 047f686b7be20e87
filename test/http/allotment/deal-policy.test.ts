import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { BadDealPolicy } from '../../../src/app/deal-policy.ts';
import { allotmentCodec } from '../../../src/domain/allotment/events.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { runRefreshFlashDeals } from '../../../src/processes/refresh-flash-deals/run.ts';
import { A_DEAL_POLICY } from '../../support/examples.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY } from '../../support/service.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

/** Six hours before five in the afternoon in Bangkok, which is the last entry of the river walk and the museum. */
const FIRST_STEP = NOW + HOUR_MS;
const LAST_ENTRY = NOW + 7 * HOUR_MS;

const POLICY = {
  note: 'Two steps, for tests of the policy.',
  activities_percent: 100,
  lasts_minutes: 120,
  steps: [
    { hours_left: 6, free_percent: 20, discount_percent: 30 },
    { hours_left: 2, free_percent: 50, discount_percent: 50 },
  ],
};

let directory: TemporaryDirectory;
let service: Service;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  await service.stop();
  directory.remove();
});

/** A service with the policy of these tests. */
async function open(startMs: number, policy: object = POLICY): Promise<void> {
  const file = directory.file('flash-deals.json');
  writeFileSync(file, JSON.stringify(policy));
  service = await openService({ startMs, settings: { FLASH_DEALS: 'on', FLASH_DEALS_FILE: file } });
}

type Happened = { readonly id: string; readonly type: string; readonly by: string; readonly data: object };

/** The policy's events, in the order of the log. */
async function deals(): Promise<Happened[]> {
  const stored = (await service.events()).filter(({ stream }) => stream.startsWith('allotment-'));
  return stored
    .map((event) => ({ event, decoded: allotmentCodec.decode(event) }))
    .filter(({ decoded }) => decoded.type.startsWith('FlashDeal'))
    .map(({ event, decoded: { type, data } }) => {
      return { id: event.stream.slice('allotment-'.length), type, by: event.cause.by, data };
    });
}

/** The events of one activity today. */
async function dealsOf(activity: string): Promise<readonly (readonly [type: string, data: object])[]> {
  return (await deals())
    .filter(({ id }) => id === `${activity}-${TODAY}`)
    .map(({ type, data }) => [type, data] as const);
}

/** Advances the clock by seconds until the policy has written this many events. */
async function until(happened: () => Promise<boolean>): Promise<void> {
  while (!(await happened())) {
    service.clock.advance(1_000);
    await new Promise(setImmediate);
  }
}

const started = (discountPercent: number, expiresAtMs: number) =>
  ['FlashDealStarted', { discountPercent, expiresAtMs, by: 'policy' }] as const;
const ended = ['FlashDealEnded', { because: 'expired' }] as const;

describe('the policy', () => {
  test('starts deals at each step of the policy, also for unopened dates, but not for hotels’ own activities', async () => {
    await open(FIRST_STEP);
    await until(async () => (await dealsOf('paper-museum')).length > 0);
    const [type, data] = started(30, FIRST_STEP + 2 * HOUR_MS);
    const inBangkok = (await deals()).filter(({ id }) => /^(?:river|paper|night|roof)/.test(id));
    expect(inBangkok.toSorted((left, right) => (left.id < right.id ? -1 : 1))).toEqual(
      [`paper-museum-${TODAY}`, `river-walk-${TODAY}`].map((id) => ({ id, type, data, by: 'flash-deals' })),
    );
    const at = { 'x-position': await headOf(service) };
    const listed = await service.inventory('city=Bangkok&flash_deals_only=true', at);
    expect<object>(listed.data.inventory).toMatchObject([
      { activity_id: 'river-walk', price: 84.35, original_price: 120.5, discount_percent: 30 },
      { activity_id: 'paper-museum', price: 175, original_price: 250, discount_percent: 30 },
    ]);
  });

  test('increases the discount at the next step, even if it did not run in between', async () => {
    await open(LAST_ENTRY - 3 * HOUR_MS);
    await until(async () => (await dealsOf('river-walk')).length === 1);
    service.clock.set(LAST_ENTRY - 2 * HOUR_MS);
    await service.restart();
    await until(async () => (await dealsOf('river-walk')).length === 2);
    expect((await dealsOf('river-walk')).at(-1)).toEqual(started(50, LAST_ENTRY));
    expect((await service.book({ booking_date: TODAY })).data.pricing.total).toBe(120.5);
  });

  test('records the end of deals, and offers none once enough guests have booked', async () => {
    await open(FIRST_STEP);
    await until(async () => (await dealsOf('river-walk')).length === 1);
    await service.book({ booking_date: TODAY, num_adults: 9 });
    service.clock.set(FIRST_STEP + 2 * HOUR_MS);
    await until(async () => (await dealsOf('river-walk')).length > 1 && (await dealsOf('paper-museum')).length > 2);
    expect(await dealsOf('river-walk')).toEqual([started(30, FIRST_STEP + 2 * HOUR_MS), ended]);
    expect((await dealsOf('paper-museum')).map(([type]) => type)).toEqual([
      'FlashDealStarted',
      'FlashDealEnded',
      'FlashDealStarted',
    ]);
  });

  test('records on the next day the end of deals that ended with the day', async () => {
    const midnight = Date.parse('2026-11-21T17:00:00Z');
    await open(midnight - HOUR_MS);
    await until(async () => (await dealsOf('night-market')).length === 1);
    // The last entry is half an hour after midnight; the deal ends with the day.
    expect(await dealsOf('night-market')).toEqual([started(50, midnight)]);
    service.clock.set(midnight);
    await until(async () => (await dealsOf('night-market')).length > 1);
    expect(await dealsOf('night-market')).toEqual([started(50, midnight), ended]);
  });

  test('does not change dates whose deal an operator has set', async () => {
    await open(NOW);
    await service.put(`/api/activities/river-walk/allotments/${TODAY}`, { flash_deal: null }, service.admin);
    service.clock.set(FIRST_STEP);
    await until(async () => (await dealsOf('paper-museum')).length > 0);
    expect(await dealsOf('river-walk')).toEqual([['FlashDealEnded', { because: 'operator' }]]);
  });

  test('repeats nothing: not after a restart, and not in another runner without its memory', async () => {
    await open(FIRST_STEP);
    // The policy visits this city last.
    await until(async () => (await dealsOf('sea-tunnel')).length > 0);
    const before = await deals();
    await service.restart();
    const { context } = service.node;
    const { streams, catalogue, clock, ids, log } = context;
    const answered: string[] = [];
    const watched = {
      ...streams.allotments,
      async handle(...args: Parameters<typeof streams.allotments.handle>) {
        const reply = await streams.allotments.handle(...args);
        answered.push(args[0]);
        return reply;
      },
    };
    const runner = runRefreshFlashDeals({
      streams: { allotments: watched },
      catalogue,
      readModels: { find: () => Promise.resolve({ items: [], next: null }), load: () => Promise.resolve(new Map()) },
      collection: context.collection,
      policy: A_DEAL_POLICY,
      clock,
      ids,
      log,
    });
    while (!answered.includes(`paper-museum-${TODAY}`)) await new Promise(setImmediate);
    await runner.stop();
    expect(await deals()).toEqual(before);
  });
});

test('a read model that is unavailable delays the deals of its city only, by a minute', async () => {
  service = await openService({ startMs: FIRST_STEP });
  const { context, stores } = service.node;
  let faults = 0;
  const runner = runRefreshFlashDeals({
    ...context,
    readModels: {
      load: (...args) => stores.readModels.load(...args),
      async find(collection, query) {
        if (query.where?.['city'] === 'Bangkok' && faults++ === 0) throw new Error('away');
        return stores.readModels.find(collection, query);
      },
    },
    policy: A_DEAL_POLICY,
  });
  // The policy visits Singapore last.
  while ((await dealsOf('sea-tunnel')).length === 0) await new Promise(setImmediate);
  expect(await dealsOf('river-walk')).toEqual([]);
  const logged = service.logged.filter(({ happening }) => happening === 'flash deals could not be reviewed');
  expect(logged.map(({ facts }) => facts)).toMatchObject([{ city: 'Bangkok', retryMs: 60_000 }]);
  await until(async () => (await dealsOf('river-walk')).length > 0);
  expect(service.clock.nowMs() - FIRST_STEP).toBeGreaterThanOrEqual(60_000);
  await runner.stop();
});

test('a policy with faults prevents the start, and the error names the faults', async () => {
  await open(NOW);
  const faulty = directory.file('faulty.json');
  writeFileSync(faulty, JSON.stringify({ ...POLICY, activities_percent: 101 }));
  const settings = { FLASH_DEALS: 'on', FLASH_DEALS_FILE: faulty };
  const fault = await openService({ settings }).catch((thrown: unknown) => thrown);
  expect(fault).toBeInstanceOf(BadDealPolicy);
  expect(String(fault)).toContain('faulty.json:1 activities_percent: must be a whole number from 0 to 100, not 101');
});

test('without a policy only operators make deals', async () => {
  service = await openService({ startMs: LAST_ENTRY - HOUR_MS });
  service.clock.advance(HOUR_MS / 2);
  await service.restart();
  expect(await deals()).toEqual([]);
});
