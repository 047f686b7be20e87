import { describe, expect, test } from 'bun:test';
import { NodeLeases } from '../../../src/runtime/node-leases.ts';
import { type PartitionedWork, runPartitioned } from '../../../src/runtime/partitions.ts';
import { movedClock } from '../../support/clock.ts';
import { rightClock, scriptedLeases } from '../../support/leases.ts';
import { collectedLog } from '../../support/log.ts';

const WORK = { name: 'gates', partitions: 4 };
const TTL_MS = 9_000;
const LOOK_MS = TTL_MS / 3;

type Node = {
  /** The parts that it attends to. */
  readonly parts: Set<number>;
  readonly done: string[];
  /** What is under way of a part: it is given away no sooner than that has ended. */
  readonly underWay: Map<number, Promise<void>>;
  onFatal(fault: unknown): void;
  stop(): Promise<void>;
};

/** Nodes that keep four gates among them. */
function scene() {
  const [clock, log] = [movedClock(0), collectedLog()];
  const leases = scriptedLeases(clock);
  const start = (holder: string, begin: () => Promise<void> = () => Promise.resolve()): Node => {
    const [parts, done, underWay] = [new Set<number>(), [] as string[], new Map<number, Promise<void>>()];
    let onFatal: Node['onFatal'] = () => {};
    const work: PartitionedWork = {
      async acquire(part) {
        parts.add(part);
        return {
          async stop() {
            parts.delete(part);
            await underWay.get(part);
          },
        };
      },
      stop: async () => void done.push('stopped'),
    };
    const running = runPartitioned(
      WORK,
      async (givenOnFatal) => {
        await begin();
        done.push('started');
        onFatal = givenOnFatal;
        return work;
      },
      new NodeLeases({ leases, holder, ttlMs: TTL_MS, clock, clockCheck: rightClock, log }),
    );
    return { parts, done, underWay, onFatal: (fault) => onFatal(fault), stop: () => running.stop() };
  };
  /** Lets everything happen that can happen at this time. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  const partsOf = (...nodes: readonly Node[]) =>
    nodes.map(({ parts }) => [...parts].sort((left, right) => left - right));
  return { leases, log, start, settle, pass, partsOf };
}

describe('partitioned work', () => {
  test('runs on one node while it is alone, which releases all leases at its stop', async () => {
    const { leases, start, settle, partsOf } = scene();
    const a = start('a');
    await settle();
    expect(partsOf(a)).toEqual([[0, 1, 2, 3]]);
    await a.stop();
    expect([...partsOf(a), a.done]).toEqual([[], ['started', 'stopped']]);
    const names = ['gates-seat-0', 'gates-0', 'gates-1', 'gates-2', 'gates-3'];
    expect(names.map((name) => leases.holder(name))).toEqual(names.map(() => null));
  });

  test('is divided evenly when another node joins, and again when one leaves', async () => {
    const { start, settle, pass, partsOf } = scene();
    const a = start('a');
    await settle();
    const b = start('b');
    await settle();
    expect(partsOf(a, b)).toEqual([[0, 1, 2, 3], []]);
    for (let look = 0; look < 2; look++) await pass(LOOK_MS);
    expect(partsOf(a, b)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    await a.stop();
    for (let look = 0; look < 2; look++) await pass(LOOK_MS);
    expect(partsOf(a, b)).toEqual([[], [0, 1, 2, 3]]);
    await b.stop();
  });

  test('runs on one node at a time: a partition is released when its work in progress has ended', async () => {
    const { leases, start, settle, pass, partsOf } = scene();
    const a = start('a');
    await settle();
    const long = Promise.withResolvers<void>();
    a.underWay.set(1, long.promise);
    const b = start('b');
    for (let look = 0; look < 4; look++) await pass(LOOK_MS);
    expect(partsOf(a, b)).toEqual([[0, 2], [3]]);
    expect(leases.holder('gates-1')).toBe('a');
    long.resolve();
    await settle();
    await pass(LOOK_MS);
    expect(partsOf(a, b)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    await Promise.all([a.stop(), b.stop()]);
  });

  test('of a node that died goes to the others when its leases have ended', async () => {
    const { leases, start, settle, pass, partsOf } = scene();
    for (const name of ['gates-seat-0', 'gates-0', 'gates-2']) leases.takeAway(name);
    const b = start('b');
    await settle();
    await pass(LOOK_MS);
    expect(partsOf(b)).toEqual([[1, 3]]);
    for (const name of ['gates-seat-0', 'gates-0', 'gates-2']) leases.free(name);
    await pass(LOOK_MS);
    expect(partsOf(b)).toEqual([[0, 1, 2, 3]]);
    await b.stop();
  });

  test('waits on a node without a member slot', async () => {
    const { leases, start, settle, pass, partsOf } = scene();
    for (let seat = 0; seat < WORK.partitions; seat++) leases.takeAway(`gates-seat-${seat}`);
    const late = start('late');
    await settle();
    await pass(LOOK_MS);
    expect(partsOf(late)).toEqual([[]]);
    leases.free('gates-seat-3');
    await pass(LOOK_MS);
    expect(partsOf(late)).toEqual([[3]]);
    await late.stop();
  });

  test('continues while the leases are unavailable, until they end, and logs the fault once', async () => {
    const { leases, log, start, settle, pass, partsOf } = scene();
    const a = start('a');
    await settle();
    leases.state = 'away';
    await pass(LOOK_MS);
    await pass(LOOK_MS - 1);
    expect(partsOf(a)).toEqual([[0, 1, 2, 3]]);
    await pass(LOOK_MS + 1);
    expect(partsOf(a)).toEqual([[]]);
    leases.state = 'there';
    await pass(LOOK_MS);
    expect(partsOf(a)).toEqual([[0, 1, 2, 3]]);
    expect(log.lines.filter(({ facts }) => facts['fault'] !== undefined).map(({ happening }) => happening)).toEqual([
      'leases cannot be taken or renewed',
    ]);
    await a.stop();
  });

  test('stops although the leases do not answer', async () => {
    const { leases, start, settle, pass, partsOf } = scene();
    const a = start('a');
    await settle();
    leases.state = 'silent';
    await pass(LOOK_MS);
    const stopping = a.stop();
    await pass(TTL_MS);
    leases.state = 'there';
    await stopping;
    expect([...partsOf(a), a.done]).toEqual([[], ['started', 'stopped']]);
  });

  test('abandoned by a node goes to the others for the duration of a lease', async () => {
    const { log, start, settle, pass, partsOf } = scene();
    const [a, b] = [start('a'), start('b')];
    await settle();
    for (let look = 0; look < 3; look++) await pass(LOOK_MS);
    const fault = new Error('cannot read');
    a.onFatal(fault);
    await settle();
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', happening: 'leased work failed', facts: { lease: 'gates', retryMs: TTL_MS, fault } },
    ]);
    for (let look = 0; look < 2; look++) await pass(LOOK_MS);
    expect([...partsOf(a, b), a.done]).toEqual([[], [0, 1, 2, 3], ['started', 'stopped']]);
    for (let look = 0; look < 3; look++) await pass(LOOK_MS);
    expect(partsOf(a, b).map(({ length }) => length)).toEqual([2, 2]);
    await Promise.all([a.stop(), b.stop()]);
  });

  test('that fails to start is started again after a pause', async () => {
    const { start, settle, pass, partsOf } = scene();
    let faults = 1;
    const a = start('a', async () => {
      if (faults-- > 0) throw new Error('not now');
    });
    await settle();
    expect(partsOf(a)).toEqual([[]]);
    await pass(1_000);
    expect(partsOf(a)).toEqual([[0, 1, 2, 3]]);
    await a.stop();
  });
});
