import { ClockCheck } from '../../src/runtime/clock-check.ts';
import { collectedLog } from './log.ts';

export const LEASE_TTL_MS = 8_000;

/** A machine whose clock a test sets, and a server whose clock is right and answers after a time that the test names. */
export function machine() {
  const state = { offsetMs: 0, roundTripMs: 0, elapsedMs: 0, away: false, asked: 0 };
  const log = collectedLog();
  const sources = {
    nowMs: () => 1_000_000 + state.elapsedMs + state.offsetMs,
    elapsedMs: () => state.elapsedMs,
    serverMs: async () => {
      state.asked++;
      if (state.away) throw new Error('MongoDB is unavailable');
      const thereMs = 1_000_000 + state.elapsedMs;
      state.elapsedMs += state.roundTripMs;
      return thereMs;
    },
    ttlMs: LEASE_TTL_MS,
    log,
  };
  return { state, log, open: () => ClockCheck.open(sources) };
}
