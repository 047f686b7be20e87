import { describe, expect, test } from 'bun:test';
import type { SupplyFiles, SupplySource } from '../../../src/ports/supply-source.ts';
import { EXCHANGE_RATES_FILE } from '../../../src/supply/exchange-rates-file.ts';
import { keepSupply, type SupplyChange } from '../../../src/supply/refresh.ts';
import { readSupply } from '../../../src/supply/supply.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { changed, PHUKET, TEXT } from './small-catalogue.ts';

const EVERY_MS = 900_000;
const RATES = { name: 'rates.json', text: await Bun.file(EXCHANGE_RATES_FILE).text() };
const cheaper = changed(['950.25', '800']);
const cheapest = changed(['950.25', '700']);

const filesOf = (bangkok: string | null): SupplyFiles => ({
  place: '/catalogue',
  catalogue: [
    ...(bangkok === null ? [] : [{ name: 'bangkok.json', text: bangkok }]),
    { name: 'phuket.json', text: PHUKET },
  ],
  exchangeRates: RATES,
});

/** Files that a test writes, and a log that it reads, as those who keep a supply meet them. */
async function openScene() {
  let present = filesOf(TEXT);
  let noticed = (): void => {};
  const clock = movedClock();
  const log = collectedLog();
  const scene = {
    clock,
    log,
    reads: 0,
    told: [] as (readonly string[])[],
    turns: 0,
    /** What goes wrong the next time the log is told something. */
    fault: null as Error | null,
    /** Runs while the turn of this node is waited for. */
    meanwhile: (): void => {},
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
  const tell = async ({ listed, dropped }: SupplyChange): Promise<ReadonlySet<string>> => {
    const { fault } = scene;
    scene.fault = null;
    if (fault !== null) throw fault;
    const ids = [...listed.map(({ id, priceMinor }) => `${id} ${priceMinor}`), ...dropped.map((id) => `${id} gone`)];
    scene.told.push(ids);
    return new Set([...listed.map(({ id }) => id), ...dropped]);
  };
  const exclusively = async <Result>(work: (lost: AbortSignal) => Promise<Result>): Promise<Result> => {
    scene.turns++;
    scene.meanwhile();
    return work(scene.lost.signal);
  };
  const { sound: first } = await readSupply(present, null);
  if (first === null) throw new Error('the files have faults');
  const kept = await keepSupply(
    { ...first, files: present },
    { source, tell, exclusively, everyMs: EVERY_MS, clock, log },
  );
  expect(scene.turns).toBe(0);
  scene.reads = 0;
  return { ...kept, scene, [Symbol.asyncDispose]: () => kept.stop() };
}

const holds = async (what: () => boolean): Promise<void> => {
  while (!what()) await new Promise(setImmediate);
};

describe('what the log is told', () => {
  test('is what changed in the own files of this node since it last looked, in its turn', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    expect(await supply.refresh()).toEqual({ kind: 'confirmed', changed: new Set(['palace-walk']) });
    expect([scene.told, scene.turns]).toEqual([[['palace-walk 80000']], 1]);
  });

  test('is nothing where nothing changed: no turn is asked for either', async () => {
    await using supply = await openScene();
    expect(await supply.refresh()).toEqual({ kind: 'confirmed', changed: new Set() });
    expect([supply.scene.told, supply.scene.turns]).toEqual([[], 0]);
  });

  test('is what the files say when the turn has come, not what they said before', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.meanwhile = () => scene.write(cheapest);
    await supply.refresh();
    expect(scene.told).toEqual([['palace-walk 70000']]);
  });

  test('is told again where it did not arrive, and only then gone by', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.fault = new Error('the event store is away');
    expect((await supply.refresh()).kind).toBe('failed');
    expect(supply.status().supply.activities[0]?.priceMinor).toBe(95_025);
    // Without being asked for it once more.
    await holds(() => scene.told.length === 1);
    expect(scene.told).toEqual([['palace-walk 80000']]);
    await holds(() => supply.status().failure === null);
    expect(supply.status().supply.activities[0]?.priceMinor).toBe(80_000);
    expect((await supply.refresh()).kind).toBe('confirmed');
  });

  test('is told again as it is by then, also where that is what it was before', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(null);
    scene.fault = new Error('the event store is away');
    scene.meanwhile = () => {
      if (scene.turns === 2) scene.write(TEXT);
    };
    expect((await supply.refresh()).kind).toBe('failed');
    await holds(() => scene.told.length === 1);
    expect(scene.told).toEqual([['palace-walk 95025', 'park-day 95025']]);
    scene.clock.advance(5_000);
    await supply.refresh();
    expect(scene.told).toHaveLength(1);
  });

  test('is looked at again where the turn was lost meanwhile', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.lost.abort();
    scene.meanwhile = () => {
      if (scene.turns === 1) return;
      scene.lost = new AbortController();
      scene.write(cheapest);
    };
    expect((await supply.refresh()).kind).toBe('failed');
    await holds(() => scene.told.length === 2);
    expect(scene.told).toEqual([['palace-walk 80000'], ['palace-walk 70000']]);
  });

  test('names what is dropped', async () => {
    await using supply = await openScene();
    supply.scene.write(null);
    await supply.refresh();
    expect(supply.scene.told).toEqual([['palace-walk gone', 'park-day gone']]);
  });
});

describe('the files are looked at', () => {
  test('once for all who ask at the same time, and for whoever asks again within three seconds', async () => {
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

  test('again at once where they were seen to change', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    await supply.refresh();
    scene.write(cheaper);
    scene.notice();
    expect((await supply.refresh()).changed).toEqual(new Set(['palace-walk']));
  });

  test('when they are seen to change, and at the interval, without being asked', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.notice();
    await holds(() => scene.told.length === 1);
    scene.write(cheapest);
    scene.clock.advance(EVERY_MS - 1);
    await new Promise(setImmediate);
    expect(scene.told).toHaveLength(1);
    await holds(() => scene.clock.waiting === 1);
    scene.clock.advance(EVERY_MS);
    await holds(() => scene.told.length === 2);
  });

  test('ten seconds after they could not be, rather than at the interval', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    scene.write(cheaper);
    scene.fault = new Error('the event store is away');
    scene.notice();
    await holds(() => scene.fault === null && scene.clock.waiting === 1);
    scene.clock.advance(10_000);
    await holds(() => scene.told.length === 1);
  });
});

test('a look that failed is told to whoever asks again within three seconds, and is not repeated for him', async () => {
  await using supply = await openScene();
  const { scene } = supply;
  scene.write(cheaper);
  const away = (): void => {
    scene.fault = new Error('the event store is away');
  };
  scene.meanwhile = away;
  const first = await supply.refresh();
  // The keeper tries it once at once, and then again after ten seconds.
  await holds(() => scene.turns === 2 && scene.clock.waiting === 1);
  expect([first.kind, await supply.refresh(), scene.turns]).toEqual(['failed', first, 2]);
  expect(supply.status().failure).toBe('the event store is away');
  scene.meanwhile = () => {};
  scene.fault = null;
  scene.clock.advance(10_000);
  await holds(() => scene.told.length === 1);
});

describe('faults', () => {
  test('are told in the log once, and again only when they are others', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    const errors = () => scene.log.lines.filter(({ level }) => level === 'error').map(({ facts }) => facts['faults']);
    const broken = (price: string) => changed(['950.25', price]);
    for (const text of [broken('1'), broken('1'), broken('2')]) {
      scene.write(text);
      scene.clock.advance(5_000);
      expect(await supply.refresh()).toEqual({ kind: 'faulty', changed: new Set() });
    }
    const told = (price: number): string =>
      `activities[0].price: must be an amount in THB from 50 to 20000, not ${price}`;
    expect(errors()).toEqual([[expect.stringContaining(told(1))], [expect.stringContaining(told(2))]]);
  });

  test('keep when all was confirmed; the look is told nevertheless', async () => {
    await using supply = await openScene();
    const { scene } = supply;
    const startMs = scene.clock.nowMs();
    scene.write('{');
    scene.clock.advance(60_000);
    await supply.refresh();
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs, lookedAtMs: startMs + 60_000 });
    scene.clock.advance(60_000);
    expect((await supply.refresh()).kind).toBe('faulty');
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs, lookedAtMs: startMs + 120_000 });
    scene.write(TEXT);
    scene.clock.advance(60_000);
    expect((await supply.refresh()).kind).toBe('confirmed');
    expect(supply.status()).toMatchObject({ confirmedAtMs: startMs + 180_000, faults: [] });
  });
});
