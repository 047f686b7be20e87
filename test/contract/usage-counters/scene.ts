import { afterEach, beforeEach } from 'bun:test';
import type { Counting, Taking, Usage, UsageCounters, UsageLimits } from '../../../src/ports/usage-counters.ts';

export type OpenedUsageCounters = {
  readonly counters: UsageCounters;
  /** Closes the counters and opens them anew on the same data. */
  reopen(): Promise<UsageCounters>;
  /** Closes whatever is open and removes the data. */
  close(): Promise<void>;
};

/** Shown in the names of the tests that draw from it; `SEED=… bun test` draws the same again. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
export const KEY = 'key_1';
export const LIMITS: UsageLimits = { perMinute: 3, perDay: 8 };

/** What the tests of the contract share: counters that are empty when a test begins. */
export type Scene = {
  counters: UsageCounters;
  /** Takes one, under LIMITS where nothing else is said. */
  take(atMs: number, limits?: UsageLimits, counting?: Counting): Promise<Taking>;
  /** Takes one at each of the instants, and returns the outcomes. */
  takeAll(instants: readonly number[], limits?: UsageLimits): Promise<string[]>;
  peek(atMs: number, limits?: UsageLimits): Promise<Usage>;
  reopen(): Promise<void>;
};

/** Opens empty counters before each test of the surrounding `describe`. */
export function eachInScene(open: () => Promise<OpenedUsageCounters>): Scene {
  let opened: OpenedUsageCounters;
  const scene = {} as Scene;
  beforeEach(async () => {
    opened = await open();
    scene.counters = opened.counters;
  });
  afterEach(() => opened.close());
  return Object.assign(scene, {
    take: (atMs: number, limits = LIMITS, counting?: Counting) => scene.counters.take(KEY, limits, atMs, counting),
    async takeAll(instants: readonly number[], limits = LIMITS) {
      const kinds: string[] = [];
      for (const atMs of instants) kinds.push((await scene.take(atMs, limits)).kind);
      return kinds;
    },
    peek: (atMs: number, limits = LIMITS) => scene.counters.peek(KEY, limits, atMs),
    async reopen() {
      scene.counters = await opened.reopen();
    },
  });
}
