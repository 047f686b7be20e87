import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { projectInThread } from '../../../src/app/projector-thread.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { testParking } from '../../support/parking.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const A_LONG_TIME_MS = 20_000;
const LOST = {
  kind: 'failed',
  message: 'the thread of the projections was lost; the next one resumes the rebuild',
} as const;

/** The threads started, in their order: a test ends them as a fault would. */
let started: Worker[] = [];
const { Worker: Thread } = globalThis;

beforeEach(() => {
  started = [];
  globalThis.Worker = class extends Thread {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      started.push(this);
    }
  };
});

afterEach(() => {
  globalThis.Worker = Thread;
});

/** A log with keys in it, and the projections in a thread. */
async function scene() {
  const directory = temporaryDirectory();
  const paths = { events: directory.file('events.db'), readModels: directory.file('read-models.db') };
  const store = openEventStore(paths.events);
  const [ids, log] = [seededIds(), collectedLog()];
  const settings = { logLevel: 'fatal', graceMs: 86_400_000 };
  let count = 0;
  const deactivate = async (): Promise<Position> => {
    const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
    const added = { id: ids.uuid(), ...event, cause: SOME_CAUSE };
    const outcome = await store.append(`apikey-key_${count++}`, -1, [added]);
    if (outcome.kind !== 'appended') throw new Error(outcome.kind);
    return outcome.position;
  };
  await deactivate();
  const projections = await projectInThread({ store, paths }, settings, {
    log,
    parking: testParking(),
    unknownEvents: { note: () => {} },
  });
  return {
    projections,
    deactivate,
    log,
    async [Symbol.asyncDispose]() {
      await projections.stop();
      await store.close();
      directory.remove();
    },
  };
}

/** Resolves once the thread's end is known to all who listen. */
function ended(worker: Worker | undefined): Promise<void> {
  return new Promise((resolve) => worker?.addEventListener('close', () => resolve()));
}

/** A fault that nobody caught. */
function fail(worker: Worker | undefined): Promise<void> {
  const end = ended(worker);
  worker?.postMessage(null);
  return end;
}

describe('the thread of the projections', () => {
  test('is replaced when it dies: logged, caught up when the next one is, and without a missed event', async () => {
    await using at = await scene();
    const { projections, log } = at;
    while (!projections.caughtUpOnce()) await new Promise(setImmediate);
    await fail(started[0]);
    expect(log.lines).toEqual([
      { level: 'error', happening: 'projector thread lost', facts: { why: expect.any(String), retryMs: 200 } },
    ]);
    expect(projections.caughtUpOnce()).toBe(false);
    expect(projections.collection('keys')).toBe('keys.v6.b1');
    const position = await at.deactivate();
    expect(await projections.waitFor('keys', position, A_LONG_TIME_MS)).toBe(true);
    while (!projections.caughtUpOnce()) await new Promise(setImmediate);
    expect(started).toHaveLength(2);
    expect(log.lines).toHaveLength(1);
  });

  test('is replaced when it ends by itself', async () => {
    await using at = await scene();
    const end = ended(started[0]);
    started[0]?.terminate();
    await end;
    expect(at.log.lines).toMatchObject([{ happening: 'projector thread lost', facts: { why: 'ended' } }]);
    expect(await at.projections.waitFor('keys', await at.deactivate(), A_LONG_TIME_MS)).toBe(true);
  });

  test('that dies in a rebuild reports it as failed, and another can start', async () => {
    await using at = await scene();
    const { projections } = at;
    const rebuilding = projections.rebuild('keys');
    started[0]?.terminate();
    expect(await rebuilding).toEqual(LOST);
    expect(projections.rebuilding('keys')).toBe(false);
    while (!projections.caughtUpOnce()) await new Promise(setImmediate);
    expect(await projections.rebuild('keys')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await projections.waitFor('keys', await at.deactivate(), A_LONG_TIME_MS)).toBe(true);
  });

  test('that is dead or dies at the stop does not delay the stop', async () => {
    for (const dies of ['before', 'while'] as const) {
      started = [];
      await using at = await scene();
      const end = ended(started[0]);
      started[0]?.terminate();
      if (dies === 'before') await end;
      await at.projections.stop();
      expect(started).toHaveLength(1);
    }
  });

  test('that cannot open the projections at the start is a fault', async () => {
    using directory = temporaryDirectory();
    const store = openEventStore(directory.file('events.db'));
    const paths = { events: directory.file('events.db'), readModels: directory.path };
    const context = { log: collectedLog(), parking: testParking(), unknownEvents: { note: () => {} } };
    const settings = { logLevel: 'fatal', graceMs: 86_400_000 };
    const fault = await faultOf(() => projectInThread({ store, paths }, settings, context));
    expect(String(fault)).toContain('the thread of the projections failed');
    expect(started).toHaveLength(1);
    await store.close();
  });
});
