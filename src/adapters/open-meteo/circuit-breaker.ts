import type { Clock } from '../../ports/clock.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';

type State =
  | { readonly kind: 'closed'; readonly faultsInARow: number }
  | { readonly kind: 'open'; readonly sinceMs: number }
  /** One trial call is running; other calls are still skipped. */
  | { readonly kind: 'half-open' };

/**
 * Skips calls to a service that does not answer, so that callers do not wait. Closed: consecutive faults open it. Open: no
 * calls for a while. Half-open: one call decides. If the service never answered before, the first fault opens the circuit,
 * so that without a network only one caller waits.
 */
export function createCircuitBreaker(clock: Clock) {
  const { faultsInARow: allowed, circuitOpenMs } = OPEN_METEO_LIMITS;
  let state: State = { kind: 'closed', faultsInARow: allowed - 1 };
  return {
    /** Whether a call may be made now. After true, call exactly one of the other two, once. */
    permit(): boolean {
      if (state.kind === 'open' && hasPassed(clock.nowMs() - state.sinceMs, circuitOpenMs)) {
        state = { kind: 'half-open' };
        return true;
      }
      return state.kind === 'closed';
    },
    succeeded(): void {
      state = { kind: 'closed', faultsInARow: 0 };
    },
    failed(): void {
      const faultsInARow = state.kind === 'closed' ? state.faultsInARow + 1 : allowed;
      state = faultsInARow < allowed ? { kind: 'closed', faultsInARow } : { kind: 'open', sinceMs: clock.nowMs() };
    },
  };
}

/** If the clock was set back, the circuit still stays open no longer than the span. */
function hasPassed(elapsedMs: number, spanMs: number): boolean {
  return elapsedMs >= spanMs || elapsedMs < 0;
}
