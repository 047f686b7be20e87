import type { Clock } from '../../ports/clock.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';

/** Spares callers the wait for a service that does not answer. */
export type CircuitBreaker = {
  /** Whether a call may be made now. After true one of the other two must be called, once. */
  permit(): boolean;
  succeeded(): void;
  failed(): void;
};

type State =
  | { readonly kind: 'closed'; readonly faultsInARow: number }
  | { readonly kind: 'open'; readonly sinceMs: number }
  /** One call is under way to find out; the others are still spared. */
  | { readonly kind: 'half-open' };

/**
 * Closed, a number of faults in a row opens it; open, nothing is called for a while; half-open, one call decides. A
 * service that never answered is trusted less: its first fault opens the circuit, so without a network one caller waits.
 */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  const { faultsInARow: allowed, circuitOpenMs } = OPEN_METEO_LIMITS;
  let state: State = { kind: 'closed', faultsInARow: allowed - 1 };
  return {
    permit() {
      if (state.kind === 'open' && hasPassed(clock.nowMs() - state.sinceMs, circuitOpenMs)) {
        state = { kind: 'half-open' };
        return true;
      }
      return state.kind === 'closed';
    },
    succeeded() {
      state = { kind: 'closed', faultsInARow: 0 };
    },
    failed() {
      const faultsInARow = state.kind === 'closed' ? state.faultsInARow + 1 : allowed;
      state = faultsInARow < allowed ? { kind: 'closed', faultsInARow } : { kind: 'open', sinceMs: clock.nowMs() };
    },
  };
}

/** A clock that was set back must not keep the circuit open for longer than the span. */
function hasPassed(elapsedMs: number, spanMs: number): boolean {
  return elapsedMs >= spanMs || elapsedMs < 0;
}
