import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { KeyUse, Use, UseOfRun } from '../../src/ports/key-use.ts';
import { faultOf } from '../support/fault.ts';

export type OpenedKeyUse = {
  readonly keyUse: KeyUse;
  /** Reopens it on the same data. */
  reopen(): Promise<KeyUse>;
  /** Closes everything and removes the data. */
  close(): Promise<void>;
};

const DAY = 20_778;

function useOf(ok: number, endpoint = 'inventory'): Use {
  return new Map([[endpoint, { ok, refused: 1, failed: 0 }]]);
}

/**
 * The contract of the port KeyUse.
 *
 * @param open opens empty statistics for one test
 */
export function keyUseContract(name: string, open: () => Promise<OpenedKeyUse>): void {
  describe(`the use of keys contract: ${name}`, () => {
    let opened: OpenedKeyUse;
    let keyUse: KeyUse;

    beforeEach(async () => {
      opened = await open();
      keyUse = opened.keyUse;
    });
    afterEach(() => opened.close());

    const put = (...uses: readonly Partial<UseOfRun>[]): Promise<void> =>
      keyUse.put(uses.map((use) => ({ run: 'run 1', key: 'key_a', day: DAY, use: useOf(1), ...use })));
    const runsOf = async (key = 'key_a', day = DAY): Promise<readonly UseOfRun[]> =>
      (await keyUse.of(key, day)).toSorted((one, other) => (one.run < other.run ? -1 : 1));

    test('is empty at first', async () => {
      await keyUse.put([]);
      expect(await runsOf()).toEqual([]);
    });

    test('keeps each run, key and day separately, with all endpoints', async () => {
      const use: Use = new Map([...useOf(3), ...useOf(4, 'recommend')]);
      await put({ use }, { run: 'run 2', use: useOf(5) }, { key: 'key_b' }, { day: DAY + 1 });
      expect(await runsOf()).toEqual([
        { run: 'run 1', key: 'key_a', day: DAY, use },
        { run: 'run 2', key: 'key_a', day: DAY, use: useOf(5) },
      ]);
      expect([await runsOf('key_b'), await runsOf('key_a', DAY + 1)].map(({ length }) => length)).toEqual([1, 1]);
    });

    test('a second put replaces the first', async () => {
      await put({ use: useOf(1) });
      await put({ use: useOf(7, 'recommend') });
      await put({ use: useOf(7, 'recommend') });
      expect((await runsOf()).map(({ use }) => use)).toEqual([useOf(7, 'recommend')]);
    });

    test('is kept after it is reopened', async () => {
      await put({});
      keyUse = await opened.reopen();
      expect(await runsOf()).toHaveLength(1);
    });

    test('forgetBefore deletes earlier days only', async () => {
      await put({ day: DAY - 1 }, {}, { day: DAY + 1 });
      await keyUse.forgetBefore(DAY);
      const left = await Promise.all([DAY - 1, DAY, DAY + 1].map((day) => runsOf('key_a', day)));
      expect(left.map(({ length }) => length)).toEqual([0, 1, 1]);
    });

    test('closed, it refuses everything, and may be closed again', async () => {
      await keyUse.close();
      await keyUse.close();
      const closed = new Error('the use of keys is closed');
      expect(await faultOf(() => put({}))).toEqual(closed);
      expect(await faultOf(() => runsOf())).toEqual(closed);
      expect(await faultOf(() => keyUse.forgetBefore(DAY))).toEqual(closed);
    });
  });
}
