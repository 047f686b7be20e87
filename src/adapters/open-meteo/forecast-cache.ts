import type { Clock } from '../../ports/clock.ts';
import type { Forecast } from '../../ports/weather.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';

/** In-memory cache of fresh forecasts by cell. */
export function createForecastCache(clock: Clock) {
  const { cells, freshMs, renewAfterMs } = OPEN_METEO_LIMITS;
  /** Ordered by use, the least recently used first. */
  const kept = new Map<string, Forecast>();
  return {
    /** Null if there is no fresh forecast. `renew`: still usable, but the next one should be fetched. */
    find(cell: string): { readonly forecast: Forecast; readonly renew: boolean } | null {
      const forecast = kept.get(cell);
      if (forecast === undefined) return null;
      kept.delete(cell);
      const ageMs = clock.nowMs() - Date.parse(forecast.fetchedAt);
      // Negative if the clock was set back: the age is unknown.
      if (ageMs < 0 || ageMs >= freshMs) return null;
      kept.set(cell, forecast);
      return { forecast, renew: ageMs >= renewAfterMs };
    },
    keep(cell: string, forecast: Forecast): void {
      kept.delete(cell);
      kept.set(cell, forecast);
      const [oldest] = kept.keys();
      if (kept.size > cells && oldest !== undefined) kept.delete(oldest);
    },
  };
}
