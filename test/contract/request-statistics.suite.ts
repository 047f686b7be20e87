import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type {
  CountedRun,
  RequestCounts,
  RequestStatisticsStore,
  RunCounts,
} from '../../src/ports/request-statistics.ts';
import { faultOf } from '../support/fault.ts';
import type { Reopening } from './reopening.ts';

const DAY = 20_778;

function countsOf(ok: number, endpoint = 'inventory'): RequestCounts {
  return new Map([[endpoint, { ok, refused: 1, failed: 0 }]]);
}

/**
 * The contract of the port RequestStatisticsStore.
 *
 * @param open opens empty statistics for one test
 */
export function requestStatisticsContract(name: string, open: () => Promise<Reopening<RequestStatisticsStore>>): void {
  describe(`the request statistics contract: ${name}`, () => {
    let opened: Reopening<RequestStatisticsStore>;
    let statistics: RequestStatisticsStore;

    beforeEach(async () => {
      opened = await open();
      statistics = opened.store;
    });
    afterEach(() => opened.close());

    const put = (...counted: readonly Partial<CountedRun>[]): Promise<void> =>
      statistics.put(
        counted.map((each) => ({
          run: 'run 1',
          key: 'key_a',
          day: DAY,
          counts: countsOf(1),
          lastAtMs: 1_000,
          ...each,
        })),
      );
    const runsOf = async (key = 'key_a', day = DAY): Promise<readonly RunCounts[]> =>
      (await statistics.of([key], day)).toSorted((one, other) => (one.run < other.run ? -1 : 1));

    test('is empty at first', async () => {
      await statistics.put([]);
      expect(await runsOf()).toEqual([]);
    });

    test('keeps each run, key and day separately, with all endpoints', async () => {
      const counts: RequestCounts = new Map([...countsOf(3), ...countsOf(4, 'recommend')]);
      await put({ counts }, { run: 'run 2', counts: countsOf(5) }, { key: 'key_b' }, { day: DAY + 1 });
      expect(await runsOf()).toEqual([
        { run: 'run 1', key: 'key_a', day: DAY, counts },
        { run: 'run 2', key: 'key_a', day: DAY, counts: countsOf(5) },
      ]);
      expect([await runsOf('key_b'), await runsOf('key_a', DAY + 1)].map(({ length }) => length)).toEqual([1, 1]);
    });

    test('reads several keys at once, and none for no key', async () => {
      await put({ counts: countsOf(3) }, { key: 'key_b', counts: countsOf(5) }, { key: 'key_c' });
      const read = await statistics.of(['key_b', 'key_a', 'key_d'], DAY);
      expect(new Map(read.map(({ key, counts }) => [key, counts]))).toEqual(
        new Map([
          ['key_a', countsOf(3)],
          ['key_b', countsOf(5)],
        ]),
      );
      expect([await statistics.of([], DAY), await statistics.lastUses([])]).toEqual([[], new Map()]);
    });

    test('knows the latest use of each key, whichever run and day put it last, and keeps it', async () => {
      await put({ lastAtMs: 2_000 }, { run: 'run 2', lastAtMs: 3_000 }, { key: 'key_b', day: DAY - 1, lastAtMs: 500 });
      await put({ lastAtMs: 2_500 });
      await statistics.forgetBefore(DAY + 1);
      statistics = await opened.reopen();
      expect(await statistics.lastUses(['key_a', 'key_b', 'key_c'])).toEqual(
        new Map([
          ['key_a', 3_000],
          ['key_b', 500],
        ]),
      );
    });

    test('a second put replaces the first', async () => {
      await put({ counts: countsOf(1) });
      await put({ counts: countsOf(7, 'recommend') });
      await put({ counts: countsOf(7, 'recommend') });
      expect((await runsOf()).map(({ counts }) => counts)).toEqual([countsOf(7, 'recommend')]);
    });

    test('is kept after it is reopened', async () => {
      await put({});
      statistics = await opened.reopen();
      expect(await runsOf()).toHaveLength(1);
    });

    test('forgetBefore deletes earlier days only', async () => {
      await put({ day: DAY - 1 }, {}, { day: DAY + 1 });
      await statistics.forgetBefore(DAY);
      const left = await Promise.all([DAY - 1, DAY, DAY + 1].map((day) => runsOf('key_a', day)));
      expect(left.map(({ length }) => length)).toEqual([0, 1, 1]);
    });

    test('rejects every call after close; close may be repeated', async () => {
      await statistics.close();
      await statistics.close();
      const closed = new Error('the request statistics are closed');
      expect(await faultOf(() => put({}))).toEqual(closed);
      expect(await faultOf(() => runsOf())).toEqual(closed);
      expect(await faultOf(() => statistics.forgetBefore(DAY))).toEqual(closed);
    });
  });
}
