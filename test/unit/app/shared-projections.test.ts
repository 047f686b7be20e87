import { describe, expect, test } from 'bun:test';
import { PROJECTIONS } from '../../../projections/index.ts';
import { keysProjection } from '../../../projections/keys/projection.ts';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { followProjections, runLeasedProjections } from '../../../src/app/shared-projections.ts';
import { openStreams } from '../../../src/application/streams.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { rebuildsOf } from '../../../src/domain/rebuild/rebuild.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';

import { START } from '../../../src/eventsourcing/message.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';

import type { LeaderElection } from '../../../src/runtime/leader-election.ts';
import { openProjector } from '../../../src/runtime/projector.ts';
import type { Running } from '../../../src/runtime/running.ts';
import { openStoredProgress } from '../../../src/runtime/stored-progress.ts';
import { createUnknownEvents } from '../../../src/runtime/unknown-events.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { testParking } from '../../support/parking.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NOTHING: Running = { stop: () => Promise.resolve() };
const LEASE = 'projection-keys.v6';
const A_LONG_TIME_MS = 20_000;

/** Stores with a key in the log, and nodes that run its projection under the lease, or only ask. */
async function scene() {
  const directory = temporaryDirectory();
  const store = openEventStore(directory.file('events.db'));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const [ids, log, clock] = [seededIds(), collectedLog(), movedClock()];
  const system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  const decoding = { decode: decodeEvent, unknownEvents: createUnknownEvents(log) };
  const readable = decodedStore(store, decoding);
  const streams = openStreams({ store: readable, ids, system });
  const progress = await openStoredProgress(PROJECTIONS, { store: readable, readModels });
  const context = { store: readable, readModels, progress, streams, clock, ids, log };
  const names: string[] = [];
  const givenUp: unknown[] = [];
  const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
  await store.append('apikey-key_1', -1, [{ id: ids.uuid(), ...event, cause: SOME_CAUSE }]);
  /** The lease of keys is this node's, and no other. */
  const keysOnly: LeaderElection['runAsLeader'] = (name, begin) => {
    names.push(name);
    return name === LEASE ? begin((fault) => void givenUp.push(fault)) : Promise.resolve(NOTHING);
  };
  const asking = followProjections(context);
  return {
    ...context,
    names,
    givenUp,
    asking,
    holdLease: () => runLeasedProjections(keysOnly, { ...context, parking: testParking() }),
    statusOfKeys: async () => (await asking.operations.status()).find(({ name }) => name === 'keys'),
    /** Moves the time on until something is so that the node does in its own time. */
    async passUntil(so: () => Promise<boolean>): Promise<void> {
      while (!(await so())) {
        clock.advance(1_000);
        await new Promise(setImmediate);
      }
    },
    async [Symbol.asyncDispose]() {
      await asking.stop();
      await system.drain();
      await store.close();
      await readModels.close();
      directory.remove();
    },
  };
}

describe('projections on one of several nodes', () => {
  test('have one lease for each projection and version', async () => {
    await using at = await scene();
    const work = await at.holdLease();
    expect(at.names).toContain(LEASE);
    expect(at.names).toContain('projection-activities.v3');
    expect(new Set(at.names).size).toBe(at.names.length);
    await work.stop();
  });

  test('are rebuilt by the lease holder when any node gets the request', async () => {
    await using at = await scene();
    expect(await at.asking.operations.rebuild('keys')).toEqual({ kind: 'started' });
    expect(await at.asking.operations.rebuild('keys')).toEqual({ kind: 'running' });
    expect(await at.asking.operations.rebuild('ghosts')).toMatchObject({ kind: 'unknown' });
    expect((await at.statusOfKeys())?.rebuild).toMatchObject({ events: null });
    const work = await at.holdLease();
    await at.passUntil(async () => (await at.statusOfKeys())?.rebuild === null);
    expect(await at.statusOfKeys()).toMatchObject({
      collection: 'keys.v6.b2',
      rebuild: null,
      lastRebuild: { kind: 'rebuilt', collection: 'keys.v6.b2', events: 1, differences: 0 },
    });
    expect(await at.asking.operations.rebuild('keys')).toEqual({ kind: 'started' });
    await work.stop();
  });

  test('continue with the serving build, where a node that had lost the lease replaced the old one', async () => {
    await using at = await scene();
    const work = await at.holdLease();
    const late = await openProjector([keysProjection], at);
    await late.rebuild('keys');
    await late.stop();
    const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
    await at.store.append('apikey-key_2', -1, [{ id: at.ids.uuid(), ...event, cause: SOME_CAUSE }]);
    const head = await at.store.head();
    await at.passUntil(async () => ((await at.readModels.checkpoint('keys.v6.b2')) ?? START) >= head);
    expect(await at.asking.waitFor('keys', head, A_LONG_TIME_MS)).toBe(true);
    await work.stop();
  });

  test('leave an unfinished rebuild to the next node', async () => {
    await using at = await scene();
    const at0 = new Date(at.clock.nowMs()).toISOString();
    const request = { type: 'RequestRebuild', rebuild: 'r1', at: at0 } as const;
    await at.streams.rebuilds.handle(rebuildsOf('keys', 6), request, SOME_CAUSE, at.clock.nowMs() + 10_000);
    const first = await at.holdLease();
    await first.stop();
    const second = await at.holdLease();
    await at.passUntil(async () => (await at.statusOfKeys())?.rebuild === null);
    expect((await at.statusOfKeys())?.lastRebuild).toMatchObject({ kind: 'rebuilt', differences: 0 });
    await second.stop();
  });

  test('stop before an event of a newer release, and leave it to a node that can decode it', async () => {
    await using at = await scene();
    const before = await at.store.head();
    const newer = { id: at.ids.uuid(), type: 'KeyIssued.v9', data: {}, cause: SOME_CAUSE };
    await at.store.append('apikey-key_2', -1, [newer]);
    const work = await at.holdLease();
    await at.passUntil(() => Promise.resolve(at.givenUp.length > 0));
    expect(at.givenUp).toEqual([new UnknownEvent('apikey', 'KeyIssued.v9')]);
    expect(await at.readModels.checkpoint('keys.v6.b1')).toBe(before);
    const asked = await at.asking.operations.rebuild('keys');
    expect(asked).toEqual({ kind: 'started' });
    await at.passUntil(async () => (await at.statusOfKeys())?.rebuild === null);
    expect((await at.statusOfKeys())?.lastRebuild).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('KeyIssued.v9'),
    });
    expect(await at.readModels.pointer('keys.v6')).toBe('keys.v6.b1');
    await work.stop();
  });
});
