import { describe, expect, test } from 'bun:test';
import type { SupplyFiles, SupplySource } from '../../../src/ports/supply-source.ts';
import { EXCHANGE_RATES_FILE } from '../../../src/supply/exchange-rates-file.ts';
import { type SupplyChange, sharingEntries, startSupplyRefresh } from '../../../src/supply/refresh.ts';
import { readSupply } from '../../../src/supply/supply.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { changed, PHUKET, TEXT } from './small-catalogue.ts';

const EVERY_MS = 900_000;
const RATES = { name: 'rates.json', text: await Bun.file(EXCHANGE_RATES_FILE).text() };
const cheaper = changed(['950.25', '800']);
const cheapest = changed(['950.25', '700']);

const filesOf = (bangkok: string | null): SupplyFiles => ({
  directory: '/catalogue',
  catalogue: [
    ...(bangkok === null ? [] : [{ name: 'bangkok.json', text: bangkok }]),
    { name: 'phuket.json', text: PHUKET },
  ],
  exchangeRates: RATES,
});

/** A running refresh, with files that the test writes and publications that it reads. */
async function openScene() {
  let present = filesOf(TEXT);
  let noticed = (): void => {};
  const clock = movedClock();
  const log = collectedLog();
  const scene = {
    clock,
    log,
    reads: 0,
    published: [] as (readonly string[])[],
    leases: 0,
    /** Thrown by the next publication. */
    fault: null as Error | null,
    /** Runs while this node waits for the lease. */
    whileWaiting: (): void => {},
    lost: new AbortController(),
    write(bangkok: string | null) {
      present = filesOf(bangkok);
    },
    notice: () => noticed(),
  };
  const source: SupplySource = {
    async read() {
      scene.reads++;
      await Promise.resolve();
      return present;
    },
    watch(changedNow) {
      noticed = changedNow;
      return { stop: () => {} };
    },
  };
  const publish = async ({ listed, dropped }: SupplyChange): Promise<ReadonlySet<string>> => {
    const { fault } = scene;
    scene.fault = null;
    if (fault !== null) throw fault;
    const ids = [...listed.map(({ id, priceMinor }) => `${id} ${priceMinor}`), ...dropped.map((id) => `${id} gone`)];
    scene.published.push(ids);
    return new Set([...listed.map(({ id }) => id), ...dropped]);
  };
  const runExclusively = async <Result>(work: (lost: AbortSignal) => Promise<Result>): Promise<Result> => {
    scene.leases++;
    scene.whileWaiting();
    return work(scene.lost.signal);
  };
  const { loaded: first } = await readSupply(present, null);
  if (first === null) throw new Error('the files have faults');
  const kept = await startSupplyRefresh(
    { ...first, files: present },
    { source, publish, entryOf: () => null, runExclusively, everyMs: EVERY_MS, clock, log },
  );
  expect(scene.leases).toBe(0);
  scene.reads = 0;
  return { ...kept, scene, [Symbol.asyncDispose]: () => kept.stop() };
}

const holds = async (what: () => boolean): Promise<void> => {
  while (!what()) await new Promise(setImmediate);
};

describe('a refresh publishes', () => {
  test("the changes in this node's files since its last check, under the lease", async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    expect(await supply.refresh()).toEqual({ kind: 'confirmed', changed: new Set(['palace-walk']) });
    expect([scene.published, scene.leases]).toEqual([[['palace-walk 80000']], 1]);
  });

  test('nothing and takes no lease if nothing changed', async () => {
    await using supply = await openScene();
    expect(await supply.refresh()).toEqual({ kind: 'confirmed', changed: new Set() });
    expect([supply.scene.published, supply.scene.leases]).toEqual([[], 0]);
  });

  test('the files as they are when the lease is acquired', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.whileWaiting = () => scene.write(cheapest);
    await supply.refresh();
    expect(scene.published).toEqual([['palace-walk 70000']]);
  });

  test('again after a failure, and uses the change only after a success', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.fault = new Error('the event store is unavailable');
    expect((await supply.refresh()).kind).toBe('failed');
    expect(supply.status().supply.activities[0]?.priceMinor).toBe(95_025);
    // It retries without another request.
    await holds(() => scene.published.length === 1);
    expect(scene.published).toEqual([['palace-walk 80000']]);
    await holds(() => supply.status().failure === null);
    expect(supply.status().supply.activities[0]?.priceMinor).toBe(80_000);
    expect((await supply.refresh()).kind).toBe('confirmed');
  });

  test('the current files after a failure, even if they are as before', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(null);
    scene.fault = new Error('the event store is unavailable');
    scene.whileWaiting = () => {
      if (scene.leases === 2) scene.write(TEXT);
    };
    expect((await supply.refresh()).kind).toBe('failed');
    await holds(() => scene.published.length === 1);
    expect(scene.published).toEqual([['palace-walk 95025', 'park-day 95025']]);
    scene.clock.advance(5_000);
    await supply.refresh();
    expect(scene.published).toHaveLength(1);
  });

  test('again after a lost lease', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.lost.abort();
    scene.whileWaiting = () => {
      if (scene.leases === 1) return;
      scene.lost = new AbortController();
      scene.write(cheapest);
    };
    expect((await supply.refresh()).kind).toBe('failed');
    await holds(() => scene.published.length === 2);
    expect(scene.published).toEqual([['palace-walk 80000'], ['palace-walk 70000']]);
  });

  test('dropped activities', async () => {
    await using supply = await openScene();
    supply.scene.write(null);
    await supply.refresh();
    expect(supply.scene.published).toEqual([['palace-walk gone', 'park-day gone']]);
  });
});

describe('the files are checked', () => {
  test('once for concurrent requests and for requests within three seconds', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    const answers = await Promise.all(Array.from({ length: 50 }, () => supply.refresh()));
    expect([scene.reads, new Set(answers).size]).toEqual([1, 1]);
    scene.clock.advance(2_999);
    await supply.refresh();
    expect(scene.reads).toBe(1);
    scene.clock.advance(1);
    await supply.refresh();
    expect(scene.reads).toBe(2);
  });

  test('again at once after the watcher reported a change', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    await supply.refresh();
    scene.write(cheaper);
    scene.notice();
    expect((await supply.refresh()).changed).toEqual(new Set(['palace-walk']));
  });

  test('without a request when the watcher reports a change, and at the interval', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.notice();
    await holds(() => scene.published.length === 1);
    scene.write(cheapest);
    scene.clock.advance(EVERY_MS - 1);
    await new Promise(setImmediate);
    expect(scene.published).toHaveLength(1);
    await holds(() => scene.clock.waiting === 1);
    scene.clock.advance(EVERY_MS);
    await holds(() => scene.published.length === 2);
  });

  test('ten seconds after a failure, not only at the interval', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.fault = new Error('the event store is unavailable');
    scene.notice();
    await holds(() => scene.fault === null && scene.clock.waiting === 1);
    scene.clock.advance(10_000);
    await holds(() => scene.published.length === 1);
  });
});

test('a request within three seconds after a failed check gets the failure and starts no check', async () => {
  await using supply = await openScene();
  const { scene } = supply;
  scene.write(cheaper);
  const fail = (): void => {
    scene.fault = new Error('the event store is unavailable');
  };
  scene.whileWaiting = fail;
  const first = await supply.refresh();
  // The refresher retries once immediately, then after ten seconds.
  await holds(() => scene.leases === 2 && scene.clock.waiting === 1);
  expect([first.kind, await supply.refresh(), scene.leases]).toEqual(['failed', first, 2]);
  expect(supply.status().failure).toBe('the event store is unavailable');
  scene.whileWaiting = () => {};
  scene.fault = null;
  scene.clock.advance(10_000);
  await holds(() => scene.published.length === 1);
});

describe('faults', () => {
  test('are logged once, and again only if they change', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    const errors = () => scene.log.lines.filter(({ level }) => level === 'error').map(({ facts }) => facts['faults']);
    const broken = (price: string) => changed(['950.25', price]);
    for (const text of [broken('1'), broken('1'), broken('2')]) {
      scene.write(text);
      scene.clock.advance(5_000);
      expect(await supply.refresh()).toEqual({ kind: 'faulty', changed: new Set() });
    }
    const faultText = (price: number): string =>
      `activities[0].price: must be an amount in THB from 50 to 20000, not ${price}`;
    expect(errors()).toEqual([[expect.stringContaining(faultText(1))], [expect.stringContaining(faultText(2))]]);
  });

  test('do not change confirmedAtMs, but checkedAtMs', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    const startMs = scene.clock.nowMs();
    scene.write('{');
    scene.clock.advance(60_000);
    await supply.refresh();
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs, checkedAtMs: startMs + 60_000 });
    scene.clock.advance(60_000);
    expect((await supply.refresh()).kind).toBe('faulty');
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs, checkedAtMs: startMs + 120_000 });
    scene.write(TEXT);
    scene.clock.advance(60_000);
    expect((await supply.refresh()).kind).toBe('confirmed');
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs + 180_000, faults: [] });
  });
});

test('a supply shares the entries that the node holds in memory, and keeps those that differ', async () => {
  const { loaded } = await readSupply(filesOf(TEXT), null);
  if (loaded === null) throw new Error('the files have faults');
  const [first, ...others] = loaded.supply.activities;
  const held = structuredClone(loaded.supply.activities);
  const known = held.map((activity) => (activity.id === first?.id ? { ...activity, capacity: 1 } : activity));
  const shared = await sharingEntries(loaded, (id) => known.find((activity) => activity.id === id) ?? null);
  expect(shared).toEqual(loaded);
  expect(shared.supply.activities.map((activity) => known.includes(activity))).toEqual([
    false,
    ...others.map(() => true),
  ]);
  expect(others.length).toBeGreaterThan(0);
});
