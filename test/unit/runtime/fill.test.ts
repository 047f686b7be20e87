import { describe, expect, test } from 'bun:test';
import { devicesProjection } from '../../../projections/devices/projection.ts';
import { keysProjection } from '../../../projections/keys/projection.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const A_LONG_TIME_MS = 30_000;
/** More than two batches of a reader that is behind. */
const EVENTS = 12_000;
const STREAM_EVENTS = 500;

const PROJECTIONS: readonly Projection<object>[] = [
  ...Array.from({ length: 8 }, (_, n): Projection<object> => ({ ...keysProjection, name: `keys${n}` })),
  devicesProjection,
  { ...keysProjection, name: 'both', categories: ['apikey', 'venue'] },
];

/** A log of many events, which counts what its readers are given. */
async function scene() {
  const directory = temporaryDirectory();
  const engine = openEventStore(directory.file('events.db'));
  const ids = seededIds();
  for (let stream = 0; stream < EVENTS / STREAM_EVENTS; stream++) {
    const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
    const events = Array.from({ length: STREAM_EVENTS }, () => ({ id: ids.uuid(), ...event, cause: SOME_CAUSE }));
    await engine.append(`apikey-key_${stream}`, -1, events);
  }
  const counts = { read: 0, decoded: 0 };
  const counting: EventStore = {
    ...engine,
    async *subscribe(options) {
      for await (const batch of engine.subscribe(options)) {
        counts.read += batch.events.length;
        yield batch;
      }
    },
  };
  const store = decodedStore(counting, {
    decode(stored) {
      counts.decoded++;
      return decodeEvent(stored);
    },
    unknownEvents: { note: () => {} },
  });
  const [readModels, log] = [openReadModelStore(directory.file('read-models.db')), collectedLog()];
  return {
    counts,
    store,
    readModels,
    log,
    open: (projections: readonly Projection<object>[], through: ReadModelStore = readModels, watched = false) =>
      openProjector(projections, { store, readModels: through, log, watched }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await readModels.close();
      directory.remove();
    },
  };
}

describe('projections that begin at the start of the log', () => {
  test('read and decode it once for all, when they are filled and when they are rebuilt', async () => {
    await using at = await scene();
    const projector = await at.open(PROJECTIONS);
    const head = await at.store.head();
    for (const { name } of PROJECTIONS) expect(await projector.waitFor(name, head, A_LONG_TIME_MS)).toBe(true);
    expect(at.counts).toEqual({ read: EVENTS, decoded: EVENTS });
    const reports = await Promise.all(PROJECTIONS.map(({ name }) => projector.rebuild(name)));
    expect(at.counts).toEqual({ read: EVENTS * 2, decoded: EVENTS * 2 });
    expect(reports.map(({ events, differences }) => [events, differences])).toEqual(
      PROJECTIONS.map(({ name }) => [name === devicesProjection.name ? 0 : EVENTS, []]),
    );
    await projector.stop();
    expect(at.log.lines).toEqual([]);
  });

  test('get their indexes once they are filled', async () => {
    await using at = await scene();
    const filled: string[] = [];
    const through: ReadModelStore = {
      ...at.readModels,
      async ensure(collection, indexes) {
        if ((await at.readModels.checkpoint(collection)) === (await at.store.head())) filled.push(collection);
        await at.readModels.ensure(collection, indexes);
      },
    };
    const projector = await at.open([keysProjection], through);
    expect(await projector.waitFor('keys', await at.store.head(), A_LONG_TIME_MS)).toBe(true);
    expect(filled).toEqual(['keys.v6.b1']);
    await projector.stop();
  });
});

describe('a rebuild that is interrupted', () => {
  /** Stops the projector after the first batch of the rebuild. @returns the number of events that it has applied */
  async function interrupted(
    at: Awaited<ReturnType<typeof scene>>,
    request: string,
    watched: boolean,
  ): Promise<number> {
    let stop = async (): Promise<void> => {};
    const stopping: Promise<void>[] = [];
    let applied = 0;
    const through: ReadModelStore = {
      ...at.readModels,
      async commit(collection, ...rest) {
        const committed = await at.readModels.commit(collection, ...rest);
        if (collection === 'keys.v6.b2' && stopping.length === 0) stopping.push(stop());
        return committed;
      },
    };
    const projector = await at.open([keysProjection], through, watched);
    expect(await projector.waitFor('keys', await at.store.head(), A_LONG_TIME_MS)).toBe(true);
    stop = () => projector.stop();
    const progress = ({ events }: { readonly events: number }): void => void (applied = events);
    expect(String(await faultOf(() => projector.rebuild('keys', { request, progress })))).toContain('can be resumed');
    await Promise.all(stopping);
    expect(await at.readModels.pointer('keys.v6')).toBe('keys.v6.b1');
    expect(applied).toBeGreaterThan(0);
    expect(applied).toBeLessThan(EVENTS);
    return applied;
  }

  test('is resumed at the next start where it was, and applies no event twice', async () => {
    await using at = await scene();
    const applied = await interrupted(at, 'local', false);
    const next = await at.open([keysProjection]);
    await next.resumeRebuilds();
    while (next.rebuilding('keys') === true) await new Promise(setImmediate);
    const [status] = await next.status();
    expect(status?.lastRebuild).toMatchObject({
      kind: 'rebuilt',
      collection: 'keys.v6.b2',
      events: EVENTS - applied,
      differences: 0,
    });
    expect(at.log.lines.map(({ happening }) => happening)).toEqual(['rebuild resumed', 'projection rebuilt']);
    expect(await at.readModels.collections()).toEqual(['keys.v6.b1', 'keys.v6.b2']);
    await next.stop();
    const last = await at.open([keysProjection]);
    await last.resumeRebuilds();
    expect(last.rebuilding('keys')).toBe(false);
    expect(await at.readModels.collections()).toEqual(['keys.v6.b2']);
    await last.stop();
  });

  test('is resumed by another node for the same request, and not for another one', async () => {
    await using at = await scene();
    const applied = await interrupted(at, 'first', true);
    const other = await at.open([keysProjection], at.readModels, true);
    const resumed = await other.rebuild('keys', { request: 'first' });
    expect([resumed.to, resumed.events, resumed.differences]).toEqual(['keys.v6.b2', EVENTS - applied, []]);
    await other.stop();
  });

  test('begins anew for another request', async () => {
    await using at = await scene();
    await interrupted(at, 'first', true);
    const other = await at.open([keysProjection], at.readModels, true);
    const anew = await other.rebuild('keys', { request: 'second' });
    expect([anew.to, anew.events, anew.differences]).toEqual(['keys.v6.b3', EVENTS, []]);
    await other.stop();
  });
});
