import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ExposureEntry, ExposureStore } from '../../src/ports/exposure-store.ts';
import { faultOf } from '../support/fault.ts';
import type { Reopening } from './reopening.ts';

const COUNTER = 'key_a openHolds';

function entry(subject: string, change: Partial<ExposureEntry> = {}): ExposureEntry {
  return { subject, attempt: null, amount: 2, endsAtMs: 1_795_230_600_000, openUntilMs: 0, checkedAtMs: 0, ...change };
}

/**
 * The contract of the port ExposureStore.
 *
 * @param open opens an empty store for one test
 */
export function exposureStoreContract(name: string, open: () => Promise<Reopening<ExposureStore>>): void {
  describe(`the exposure store contract: ${name}`, () => {
    let opened: Reopening<ExposureStore>;
    let store: ExposureStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('has nothing at first', async () => {
      expect(await store.read(COUNTER)).toEqual({ entries: [], version: null });
    });

    test('returns the entries that were written last, of each counter', async () => {
      const first = await store.replace(COUNTER, null, [entry('bk_1'), entry('bk_2', { attempt: 'a', amount: 30 })]);
      await store.replace('key_b openHolds', null, [entry('bk_3')]);
      const second = await store.replace(COUNTER, first, [entry('bk_2')]);
      expect(await store.read(COUNTER)).toEqual({ entries: [entry('bk_2')], version: second });
      expect(second).not.toBe(first);
    });

    test('refuses a write on a version that is not the newest, and changes nothing', async () => {
      const first = await store.replace(COUNTER, null, [entry('bk_1')]);
      const second = await store.replace(COUNTER, first, []);
      for (const before of [null, first]) expect(await store.replace(COUNTER, before, [entry('bk_9')])).toBeNull();
      expect(await store.read(COUNTER)).toEqual({ entries: [], version: second });
    });

    test('lets one of many writers of a version through', async () => {
      const versions = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.replace(COUNTER, null, [entry(`bk_${n}`)])),
      );
      expect(versions.filter((version) => version !== null)).toHaveLength(1);
      const again = versions.find((version) => version !== null) ?? null;
      const next = await Promise.all(Array.from({ length: 8 }, () => store.replace(COUNTER, again, [])));
      expect(next.filter((version) => version !== null)).toHaveLength(1);
    });

    test('holds 2,000 entries', async () => {
      const entries = Array.from({ length: 2_000 }, (_, n) => entry(`bk_${n}`));
      await store.replace(COUNTER, null, entries);
      expect((await store.read(COUNTER)).entries).toEqual(entries);
    });

    test('is kept after it is reopened', async () => {
      const version = await store.replace(COUNTER, null, [entry('bk_1')]);
      store = await opened.reopen();
      expect(await store.read(COUNTER)).toEqual({ entries: [entry('bk_1')], version });
    });

    test('rejects every call after close; close may be repeated', async () => {
      await store.close();
      await store.close();
      const closed = new Error('the exposure store is closed');
      expect(await faultOf(() => store.read(COUNTER))).toEqual(closed);
      expect(await faultOf(() => store.replace(COUNTER, null, []))).toEqual(closed);
    });
  });
}
