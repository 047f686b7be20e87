import { beforeEach, describe, expect, test } from 'bun:test';
import { bookingsProjection } from '../../../../projections/bookings/projection.ts';
import { keysProjection } from '../../../../projections/keys/projection.ts';
import { openReadModelStore } from '../../../../src/adapters/sqlite/read-model-store.ts';
import { createThrottles } from '../../../../src/application/key/address-throttle.ts';
import {
  KEPT_FOR_OPERATORS,
  type LiveMessage,
  LiveUpdates,
  MAX_PER_CREDENTIAL,
  MAX_PER_NODE,
  MAX_PER_SESSION,
} from '../../../../src/application/live/live-updates.ts';
import type { Session } from '../../../../src/application/session/session.ts';
import type { OperatorId } from '../../../../src/domain/ids.ts';
import type { Position } from '../../../../src/eventsourcing/message.ts';
import { ALWAYS_CURRENT } from '../../../../src/ports/currency.ts';
import type { Digest } from '../../../../src/ports/digest.ts';
import { StoreUnavailable } from '../../../../src/ports/store-unavailable.ts';
import { servingCollection } from '../../../../src/runtime/builds.ts';
import { movedClock } from '../../../support/clock.ts';
import { collectedLog } from '../../../support/log.ts';

/** Read models without a service; each hash is that of an admin's token. */
async function scene() {
  const clock = movedClock();
  const log = collectedLog();
  const readModels = openReadModelStore(':memory:');
  const projections = [bookingsProjection, keysProjection];
  for (const projection of projections) await servingCollection(projection, readModels);
  const [looks, state] = [[] as string[], { unavailable: false, proven: true, checks: {} }];
  const stored = {
    async pointers(names: readonly string[]) {
      looks.push('pointers');
      if (state.unavailable) throw new StoreUnavailable('read models', 'gone');
      return readModels.pointers(names);
    },
    async lastEvents(names: readonly string[]) {
      looks.push('last events');
      return readModels.lastEvents(names);
    },
  };
  const proof = { current: () => state.proven, confirmed: () => Promise.resolve(state.proven) };
  const nobody = { findBySecondaryKey: () => undefined };
  const live = new LiveUpdates({
    clock,
    log,
    projections,
    readModels: stored,
    checks: () => state.checks,
    wait: (ms, over) => clock.until(clock.nowMs() + ms, over),
    keys: nobody,
    devices: nobody,
    operators: {
      findBySecondaryKey: (hash) => ({
        operatorId: 'opr_1' as OperatorId,
        name: 'Mai',
        role: 'admin',
        hash,
        active: true,
      }),
    },
    endedSessions: { has: () => false },
    adminToken: 'admin',
    analystToken: 'analyst',
    digest: DIGEST,
    throttles: createThrottles({ wrongPerMinute: 60 }),
    currency: { keys: proof, devices: proof, operators: proof, endedSessions: ALWAYS_CURRENT },
  });
  let event = 0;
  return {
    clock,
    log,
    looks,
    state,
    live,
    session: (n = 0) => sessionOf(n, clock.nowMs()),
    async apply(name: 'bookings' | 'keys') {
      const projection = name === 'bookings' ? bookingsProjection : keysProjection;
      const collection = await servingCollection(projection, readModels);
      event++;
      const position = event as Position;
      await readModels.commit(collection, [], position, { lastEvent: { id: `event-${event}`, position } });
    },
    /** The log has grown by an event of neither projection. */
    async pass() {
      event++;
      for (const projection of projections)
        await readModels.commit(await servingCollection(projection, readModels), [], event as Position);
    },
    async look() {
      clock.advance(1_000);
      await settled();
    },
  };
}

function sessionOf(n: number, nowMs: number): Session {
  return {
    sessionId: `ses_${n}` as Session['sessionId'],
    kind: 'operator',
    credentialHash: `hash-${n}`,
    startedMs: nowMs,
    seenMs: nowMs,
    csrfToken: '',
  };
}

/** All promises that need no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

function recordingReader(taking = true) {
  const sent: (readonly LiveMessage[])[] = [];
  const reader = {
    sent,
    taking,
    ended: 0,
    send(messages: readonly LiveMessage[]) {
      if (reader.taking) sent.push(messages);
      return reader.taking;
    },
    end() {
      reader.ended++;
    },
  };
  return reader;
}

const DIGEST: Digest = { hash: (text) => Buffer.from(text), keyed: (text) => Buffer.from(text) };
const READY = [{ kind: 'ready' }] as const;

let it: Awaited<ReturnType<typeof scene>>;
beforeEach(async () => {
  it = await scene();
});

async function connected(n = 0) {
  const reader = recordingReader();
  const connection = it.live.connect(it.session(n), null, reader);
  if (connection.kind === 'refused') throw new Error(connection.refusal.error);
  await settled();
  return { ...connection, reader };
}

describe('live updates', () => {
  test('name the read models that applied events, and none for an event of other streams', async () => {
    const { reader } = await connected();
    await it.pass();
    await it.look();
    await it.apply('bookings');
    await it.apply('bookings');
    await it.look();
    expect(reader.sent).toEqual([READY, [{ kind: 'changed', readModels: ['bookings'] }]]);
    await it.live.stop();
  });

  test('are found by two reads a second, however many connections there are, and by none without one', async () => {
    const all = [];
    for (let n = 0; n < 50; n++) all.push(await connected(n));
    it.looks.length = 0;
    await it.look();
    expect(it.looks).toEqual(['pointers', 'last events']);
    for (const { leave } of all) leave();
    await settled();
    it.looks.length = 0;
    await it.look();
    expect([it.looks, it.clock.waiting]).toEqual([[], 0]);
  });

  test('come as a comment after 15 seconds without a change', async () => {
    const { reader } = await connected();
    for (let second = 1; second < 15; second++) await it.look();
    expect(reader.sent).toEqual([READY]);
    await it.look();
    expect(reader.sent).toEqual([READY, []]);
    await it.live.stop();
  });

  test('drop a reader that does not take them', async () => {
    const [slow, other] = [await connected(0), await connected(1)];
    slow.reader.taking = false;
    await it.apply('keys');
    await it.look();
    await it.apply('keys');
    await it.look();
    expect([slow.reader.ended, slow.reader.sent, other.reader.sent.length]).toEqual([1, [READY], 2]);
    await it.live.stop();
  });

  test('are found after the read models were unavailable', async () => {
    const { reader } = await connected();
    it.state.unavailable = true;
    await it.apply('keys');
    await it.look();
    it.state.unavailable = false;
    await it.look();
    expect([reader.sent, it.log.lines]).toEqual([[READY, [{ kind: 'changed', readModels: ['keys'] }]], []]);
    await it.live.stop();
  });

  test('say when readiness turns', async () => {
    const { reader } = await connected();
    it.state.checks = { event_store: true, read_models: false };
    await it.look();
    await it.look();
    it.state.checks = { event_store: true, read_models: true };
    await it.look();
    expect(reader.sent).toEqual([
      READY,
      [{ kind: 'readiness', failed: ['read_models'] }],
      [{ kind: 'readiness', failed: [] }],
    ]);
    await it.live.stop();
  });

  test('end where this node cannot prove that it knows the end of sessions', async () => {
    const { reader } = await connected();
    it.state.proven = false;
    await it.look();
    expect([reader.ended, it.clock.waiting]).toEqual([1, 0]);
  });

  test('are refused beyond the bound of the node', async () => {
    for (let n = 0; n < MAX_PER_NODE; n++) await connected(n);
    expect(refusalOf(it.session(MAX_PER_NODE))).toMatchObject({
      code: 'RATE_LIMITED',
      error: 'This node has 256 live connections; close one, or load the page again to see changes.',
      retryAfterSeconds: 30,
    });
    await it.live.stop();
  });

  test.each(['key', 'operator'] as const)(
    'are refused beyond the bound of a %s, in whichever sessions',
    async (kind) => {
      const session = (n: number): Session => ({
        ...it.session(Math.floor(n / MAX_PER_SESSION)),
        credentialHash: 'one',
        kind,
      });
      for (let n = 0; n < MAX_PER_CREDENTIAL; n++) expect(refusalOf(session(n))).toBeNull();
      expect(refusalOf(session(MAX_PER_CREDENTIAL))?.error).toStartWith(
        `All sessions of the ${kind === 'key' ? 'key' : 'token'} together have 16 live connections;`,
      );
      expect(refusalOf({ ...session(MAX_PER_CREDENTIAL), credentialHash: 'another' })).toBeNull();
      await it.live.stop();
    },
  );

  test('of keys leave some of a node to operators', async () => {
    const ofKey = (n: number): Session => ({ ...it.session(n), kind: 'key' });
    for (let n = 0; n < MAX_PER_NODE - KEPT_FOR_OPERATORS; n++) expect(refusalOf(ofKey(n))).toBeNull();
    expect(refusalOf(ofKey(MAX_PER_NODE))?.error).toStartWith(
      'Sessions of keys have, on this node, 192 live connections;',
    );
    expect(refusalOf(it.session(MAX_PER_NODE))).toBeNull();
    await it.live.stop();
  });
});

/** Why a session gets no connection; null if it has one now. */
function refusalOf(session: Session) {
  const connection = it.live.connect(session, null, recordingReader());
  return connection.kind === 'refused' ? connection.refusal : null;
}
