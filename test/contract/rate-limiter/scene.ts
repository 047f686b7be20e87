import { afterEach, beforeEach } from 'bun:test';
import type { Counting, RateLimiter, Taking, Usage, UsageLimits } from '../../../src/ports/rate-limiter.ts';
import type { Reopening } from '../reopening.ts';

/** Printed in test titles; `SEED=… bun test` repeats a run. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
export const KEY = 'key_1';
export const LIMITS: UsageLimits = { perMinute: 3, perDay: 8 };

/** Shared by the contract's tests: a rate limiter that is empty when a test begins. */
export type Scene = {
  limiter: RateLimiter;
  /** Takes one request; default: LIMITS. */
  take(atMs: number, limits?: UsageLimits, counting?: Counting): Promise<Taking>;
  /** Takes one request at each instant and returns the outcomes. */
  takeAll(instants: readonly number[], limits?: UsageLimits): Promise<string[]>;
  peek(atMs: number, limits?: UsageLimits): Promise<Usage>;
  reopen(): Promise<void>;
};

/** Opens an empty rate limiter before each test of the surrounding `describe`. */
export function eachInScene(open: () => Promise<Reopening<RateLimiter>>): Scene {
  let opened: Reopening<RateLimiter>;
  const scene = {} as Scene;
  beforeEach(async () => {
    opened = await open();
    scene.limiter = opened.store;
  });
  afterEach(() => opened.close());
  return Object.assign(scene, {
    take: (atMs: number, limits = LIMITS, counting?: Counting) => scene.limiter.take(KEY, limits, atMs, counting),
    async takeAll(instants: readonly number[], limits = LIMITS) {
      const kinds: string[] = [];
      for (const atMs of instants) kinds.push((await scene.take(atMs, limits)).kind);
      return kinds;
    },
    peek: (atMs: number, limits = LIMITS) => scene.limiter.peek(KEY, limits, atMs),
    async reopen() {
      scene.limiter = await opened.reopen();
    },
  });
}
