import { systemClock } from '../adapters/system/clock.ts';
import { ClockCheck, type ClockSources } from '../runtime/clock-check.ts';

/** Uses the machine's clocks, also if the service runs on a test clock. @throws ClockOff; StoreUnavailable */
export function openClockCheck(sources: Omit<ClockSources, 'nowMs' | 'elapsedMs'>): Promise<ClockCheck> {
  return ClockCheck.open({ ...sources, nowMs: () => systemClock.nowMs(), elapsedMs: () => performance.now() });
}
