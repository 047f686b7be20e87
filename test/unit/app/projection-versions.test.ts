import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { keysProjection } from '../../../projections/keys/projection.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { showVersions } from '../../../src/app/projection-versions.ts';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { showVersion } from '../../../src/runtime/versions.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ANOTHER = { ...keysProjection, version: keysProjection.version + 1 };

describe('a node beside another release', () => {
  let clock: MovedClock;
  let readModels: ReadModelStore;
  let log: ReturnType<typeof collectedLog>;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const directory = temporaryDirectory();
    [clock, log, readModels] = [movedClock(), collectedLog(), openReadModelStore(directory.file('read-models.db'))];
    close = async () => {
      await readModels.close();
      directory.remove();
    };
    await servingCollection(keysProjection, readModels);
    await showVersion(ANOTHER, readModels, clock.nowMs());
    await servingCollection(ANOTHER, readModels);
  });
  afterEach(() => close());

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += HOUR_MS) {
      await settled();
      clock.advance(HOUR_MS);
    }
    await settled();
  }

  /** The node has done what it does at this time, and waits for another. */
  async function settled(): Promise<void> {
    while (clock.waiting === 0) await new Promise(setImmediate);
  }

  test('marks its versions every hour, and drops versions without a mark for the grace', async () => {
    const work = await showVersions({ readModels, clock, log, graceMs: 2 * DAY_MS, alone: false });
    await pass(2 * DAY_MS - HOUR_MS);
    expect(await readModels.pointer('keys.v6.shown')).toBe(new Date(clock.nowMs()).toISOString());
    expect(await readModels.collections()).toEqual(['keys.v6.b1', 'keys.v7.b1']);
    await pass(HOUR_MS);
    await work.stop();
    expect(await readModels.collections()).toEqual(['keys.v6.b1']);
    expect(log.lines).toEqual([
      {
        level: 'info',
        happening: 'collections of other releases dropped',
        facts: { collections: ['keys.v7.b1'], graceMs: 2 * DAY_MS },
      },
    ]);
  });

  test('drops nothing without the role', async () => {
    const work = await showVersions({ readModels, clock, log, graceMs: null, alone: false });
    await pass(3 * DAY_MS);
    await work.stop();
    expect(await readModels.collections()).toEqual(['keys.v6.b1', 'keys.v7.b1']);
  });

  test('marks its versions a minute after an outage of the stores', async () => {
    let away = false;
    const movePointer: ReadModelStore['movePointer'] = (...move) =>
      away ? Promise.reject(new Error('away')) : readModels.movePointer(...move);
    const work = await showVersions({
      readModels: { ...readModels, movePointer },
      clock,
      log,
      graceMs: DAY_MS,
      alone: false,
    });
    await settled();
    away = true;
    await pass(HOUR_MS);
    away = false;
    clock.advance(60_000);
    await settled();
    await work.stop();
    expect(log.lines.map(({ happening }) => happening)).toEqual(['projection versions not updated']);
    expect(await readModels.pointer('keys.v6.shown')).toBe(new Date(clock.nowMs()).toISOString());
  });
});
