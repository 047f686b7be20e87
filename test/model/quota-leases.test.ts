import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../src/eventsourcing/durations.ts';
import type { UsageLimits } from '../../src/ports/rate-limiter.ts';
import { MIDNIGHT, NOON, SEED } from '../contract/rate-limiter/scene.ts';
import { type Answered, World } from './quota-leases/world.ts';

const NODES = 3;
const RUNS = 150;

type Step =
  | { readonly do: 'ask'; readonly node: number; readonly times: number }
  | { readonly do: 'serve'; readonly nth: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'crash'; readonly node: number; readonly happens: boolean };

const node = fc.nat({ max: NODES - 1 });
const ASK = fc.record({ do: fc.constant('ask' as const), node, times: fc.integer({ min: 1, max: 12 }) });
const SERVE = fc.record({ do: fc.constant('serve' as const), nth: fc.nat({ max: 5 }) });
const PASS = fc.record({
  do: fc.constant('pass' as const),
  ms: fc.constantFrom(1, 200, 200, 999, 1_000, 1_001, 5_000, 59_000, 60_000),
});
const CRASH = fc.record({ do: fc.constant('crash' as const), node: fc.nat({ max: 9 }), happens: fc.boolean() });
/** Small enough to be reached, large enough for leases. */
const LIMITS = fc.constantFrom<UsageLimits>({ perMinute: 70, perDay: 900 }, { perMinute: 300, perDay: 110 });
const START = fc.constantFrom(NOON, MIDNIGHT - 30_000);

const scripts = (...of: fc.WeightedArbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...of), { minLength: 20, maxLength: 90 });
const WITHOUT_CRASHES = scripts(
  { arbitrary: ASK, weight: 6 },
  { arbitrary: SERVE, weight: 5 },
  { arbitrary: PASS, weight: 1 },
);
const WITH_CRASHES = scripts(
  { arbitrary: ASK, weight: 12 },
  { arbitrary: SERVE, weight: 10 },
  { arbitrary: PASS, weight: 3 },
  { arbitrary: CRASH, weight: 1 },
);

/** Runs all pending operations; moves the clock only while there are none. */
async function finish(world: World): Promise<void> {
  for (let rounds = 0; world.busy || world.waiting > 0; rounds++) {
    if (rounds > 20_000) throw new Error('some requests are never answered');
    if (world.waiting > 0) await world.serve(0);
    else await world.pass(20);
  }
}

async function take(world: World, step: Step, limits: UsageLimits): Promise<void> {
  switch (step.do) {
    case 'ask':
      // The nodes started last are alive.
      for (let n = 0; n < step.times; n++) await world.ask(world.nodes.length - 1 - step.node, limits);
      return;
    case 'serve':
      return world.serve(step.nth);
    case 'pass':
      await finish(world);
      return world.pass(step.ms);
    default:
      return world.crash(step.node, step.happens);
  }
}

const isTaken = ({ taking }: Answered): boolean => taking.kind === 'taken';
const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** The maximum number of accepted requests in any 60 seconds, and on any day. */
function most(answered: readonly Answered[]): { readonly inMinute: number; readonly onDay: number } {
  const instants = answered.filter(isTaken).map(({ atMs }) => atMs);
  const from = (start: number): number => instants.filter((at) => at >= start && at - start < MINUTE_MS).length;
  const days = Map.groupBy(instants, dayOf);
  return {
    inMinute: Math.max(0, ...instants.map(from)),
    onDay: Math.max(0, ...[...days.values()].map((those) => those.length)),
  };
}

/** The usage at an instant: accepted requests, and the leases and pending requests of killed nodes. */
function usedAt(world: World, answered: readonly Answered[], atMs: number): { minute: number; day: number } {
  const taken = answered.filter(isTaken);
  const dead = world.nodes.flatMap(({ alive, pending }, number) => (alive ? [] : [{ number, pending }]));
  const theirs = world.usage.leases.filter(({ id }) => dead.some(({ number }) => id.startsWith(`node ${number},`)));
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const underWay = sum(dead.map(({ pending }) => pending));
  const lost = (counts: (share: { readonly untilMs: number }) => boolean): number =>
    sum(theirs.filter(counts).map(({ size }) => size)) + underWay;
  return {
    minute:
      taken.filter((each) => atMs - each.atMs < MINUTE_MS).length + lost(({ untilMs }) => atMs - untilMs < MINUTE_MS),
    day:
      taken.filter((each) => dayOf(each.atMs) === dayOf(atMs)).length +
      lost(({ untilMs }) => dayOf(untilMs) === dayOf(atMs)),
  };
}

/** Refusals although the limit was not reached, among the answers since `from`. */
function wrongRefusals(world: World, from: number, limits: UsageLimits): readonly string[] {
  return world.answered.slice(from).flatMap(({ atMs, taking }) => {
    const used = usedAt(world, world.answered, atMs);
    if (taking.kind === 'rate-limited' && used.minute < limits.perMinute) return [`rate at ${used.minute}`];
    if (taking.kind === 'quota-exceeded' && used.day < limits.perDay) return [`quota at ${used.day}`];
    return [];
  });
}

async function run(steps: readonly Step[], limits: UsageLimits, startMs: number): Promise<void> {
  const world = new World(startMs, NODES);
  const wrong: string[] = [];
  for (const step of steps) {
    const from = world.answered.length;
    await take(world, step, limits);
    wrong.push(...wrongRefusals(world, from, limits));
  }
  const from = world.answered.length;
  await finish(world);
  wrong.push(...wrongRefusals(world, from, limits));
  const { inMinute, onDay } = most(world.answered);
  expect({ wrong, inMinute: Math.min(inMinute, limits.perMinute), onDay: Math.min(onDay, limits.perDay) }).toEqual({
    wrong: [],
    inMinute,
    onDay,
  });
}

describe('several nodes with quota leases', () => {
  test(`never exceed the limits, and refuse only at a limit (seed ${SEED})`, async () => {
    await fc.assert(fc.asyncProperty(WITHOUT_CRASHES, LIMITS, START, run), { seed: SEED, numRuns: RUNS });
  }, 60_000);

  test(`also when nodes are killed; their leases and pending requests count as used (seed ${SEED})`, async () => {
    await fc.assert(fc.asyncProperty(WITH_CRASHES, LIMITS, START, run), { seed: SEED, numRuns: RUNS });
  }, 60_000);

  test('need few round trips for a busy key far from its limits', async () => {
    const world = new World(NOON, 1);
    for (let asked = 0; asked < 200; asked++) {
      await world.ask(0, { perMinute: 300, perDay: 10_000 });
      await finish(world);
      await world.pass(5);
    }
    expect(world.answered.filter(isTaken)).toHaveLength(200);
    // The first operation reads; then each lease is twice as large, up to a small part of the rest.
    expect(world.operations).toBe(21);
  });

  test('return the unused part of a lease when it ends', async () => {
    const world = new World(NOON, 2);
    const limits = { perMinute: 70, perDay: 900 };
    for (let asked = 0; asked < 3; asked++) {
      await world.ask(0, limits);
      await finish(world);
    }
    expect(world.usage.leases.map(({ size }) => size)).toEqual([2]);
    await world.pass(1_000);
    await finish(world);
    expect([world.usage.leases, world.usage.used.recent]).toEqual([[], [NOON, NOON, NOON]]);
  });

  test('count single requests near a limit', async () => {
    const world = new World(NOON, 1);
    const sizes: number[] = [];
    for (let asked = 0; asked < 70; asked++) {
      await world.ask(0, { perMinute: 70, perDay: 900 });
      await finish(world);
      sizes.push(world.usage.leases.length);
    }
    expect(sizes.indexOf(1)).toBe(1);
    // The last lease was granted at 32 remaining requests, and is used up.
    expect(sizes.lastIndexOf(1)).toBe(39);
  });
});
