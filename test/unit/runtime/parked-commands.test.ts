import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { type ScanEvent, scanCodec } from '../../../src/domain/scan/scan.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import { AppendTooLarge } from '../../../src/ports/append-too-large.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { type RunningProcessManager, runProcessManager } from '../../../src/runtime/run-process-manager.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { bookingId, fingerprint } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { testParking } from '../../support/parking.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const INTERVAL_MS = 1_000;
type Open = readonly { readonly name: string; readonly position: Position }[];

/** Rings each bell once; a bell that is rung is closed. */
const ringer: ProcessManager<Open, ScanEvent, string> = {
  name: 'ringer',
  categories: ['scan'],
  initial: [],
  react: (open, { stream, position }) => [...open, { name: stream.slice('scan-'.length), position }],
  due: (open, _nowMs, { limit, busy }) =>
    [...new Set(open.map(({ name }) => name))].filter((name) => !busy(name)).slice(0, limit),
  done: (open, name) => open.filter((bell) => bell.name !== name),
  drop: (open, name) => open.filter((bell) => bell.name !== name),
  oldestOpen: (open) => open[0]?.position ?? null,
};

async function scene() {
  const directory = temporaryDirectory();
  const events = openEventStore(directory.file('events.db'));
  const [clock, ids, log, parking] = [movedClock(0), seededIds(), collectedLog(), testParking()];
  const store = decoded(events);
  const rung: string[] = [];
  /** By bell: what ringing it throws. */
  const faults = new Map<string, Error>();
  const revisions = new Map<string, number>();
  let running: RunningProcessManager | null = null;
  const turn = () => new Promise(setImmediate);
  return {
    parking,
    log,
    rung,
    faults,
    async start(): Promise<void> {
      running = await runProcessManager<Open, string>({
        manager: ringer,
        keyOf: (name) => name,
        async execute(name) {
          const fault = faults.get(name);
          if (fault !== undefined) throw fault;
          rung.push(name);
          return { kind: 'done' };
        },
        maxInFlight: 8,
        startAtOnce: true,
        store,
        parking,
        clock,
        ids,
        log,
        intervalMs: INTERVAL_MS,
        checkpointMs: 0,
        onFatal: () => {},
      });
    },
    async stop(): Promise<void> {
      await running?.stop();
      running = null;
    },
    /** A bell to ring. */
    async add(name: string): Promise<void> {
      const data = { booking: bookingId('bk_1'), fingerprint: fingerprint('x') };
      const event = { id: ids.uuid(), ...scanCodec.encode({ type: 'ScanBound', data }), cause: SOME_CAUSE };
      const revision = revisions.get(name) ?? -1;
      await store.append(`scan-${name}`, revision, [event]);
      revisions.set(name, revision + 1);
    },
    /** Moves the time on until something is so. */
    async passUntil(so: () => boolean): Promise<void> {
      while (!so()) {
        clock.advance(INTERVAL_MS);
        await turn();
      }
    },
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += INTERVAL_MS) {
        clock.advance(INTERVAL_MS);
        await turn();
      }
    },
    nowMs: () => clock.nowMs(),
    async [Symbol.asyncDispose](): Promise<void> {
      await running?.stop();
      await store.close();
      directory.remove();
    },
  };
}

describe('a command that fails for ever', () => {
  test('is parked after eight faults over four minutes, and the others go on', async () => {
    await using at = await scene();
    at.faults.set('broken', new TypeError('no such bell'));
    await at.start();
    await at.add('broken');
    await at.add('good');
    await at.passUntil(() => at.parking.events.length > 0 && at.rung.length > 0);
    expect(at.nowMs()).toBeGreaterThanOrEqual(240_000);
    expect(at.rung).toEqual(['good']);
    expect([...at.parking.items('ringer').values()]).toMatchObject([
      { kind: 'command', id: 'broken', status: 'parked', fault: 'TypeError: no such bell', attempts: 9 },
    ]);
    const logged = at.log.lines.length;
    await at.pass(600_000);
    expect(at.log.lines).toHaveLength(logged);
  });

  test('stays parked after a restart, until it is retried', async () => {
    await using at = await scene();
    at.faults.set('broken', new AppendTooLarge('too large'));
    await at.start();
    await at.add('broken');
    await at.passUntil(() => at.parking.events.length > 0);
    await at.add('good');
    await at.passUntil(() => at.rung.includes('good'));
    await at.stop();
    at.faults.clear();
    await at.start();
    await at.add('later');
    await at.passUntil(() => at.rung.includes('later'));
    await at.pass(60_000);
    expect(at.rung).not.toContain('broken');
    at.parking.decide('ringer', 'Retry', 'broken');
    await at.passUntil(() => at.rung.includes('broken'));
    expect(at.parking.items('ringer').size).toBe(0);
  });

  test('that was retried while the process manager was stopped is done after its start', async () => {
    await using at = await scene();
    at.faults.set('broken', new AppendTooLarge('too large'));
    await at.start();
    await at.add('broken');
    await at.passUntil(() => at.parking.events.length > 0);
    await at.add('good');
    await at.passUntil(() => at.rung.includes('good'));
    await at.stop();
    at.faults.clear();
    at.parking.decide('ringer', 'Retry', 'broken');
    await at.start();
    await at.passUntil(() => at.rung.includes('broken'));
  });

  test('does not keep a later command with its key from being done', async () => {
    await using at = await scene();
    at.faults.set('broken', new AppendTooLarge('too large'));
    await at.start();
    await at.add('broken');
    await at.passUntil(() => at.parking.events.length > 0);
    at.parking.decide('ringer', 'Skip', 'broken');
    at.faults.clear();
    await at.add('broken');
    await at.passUntil(() => at.rung.includes('broken'));
    expect(at.rung).toEqual(['broken']);
  });

  test('is not parked while a store is unavailable, however long that lasts', async () => {
    await using at = await scene();
    at.faults.set('broken', new StoreUnavailable('event store', 'no answer'));
    await at.start();
    await at.add('broken');
    await at.pass(3_600_000);
    expect(at.parking.events).toEqual([]);
    at.faults.clear();
    await at.passUntil(() => at.rung.includes('broken'));
  });

  test('is repeated while its parking cannot be recorded', async () => {
    await using at = await scene();
    at.faults.set('broken', new AppendTooLarge('too large'));
    await at.start();
    at.parking.fault = new StoreUnavailable('event store', 'no answer');
    await at.add('broken');
    await at.pass(60_000);
    expect(at.parking.events).toEqual([]);
    at.parking.fault = null;
    await at.passUntil(() => at.parking.events.length > 0);
  });
});
