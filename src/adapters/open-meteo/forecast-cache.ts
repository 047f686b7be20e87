import type { Clock } from '../../ports/clock.ts';
import type { Forecast } from '../../ports/weather.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';

/** Forecasts by cell, while they are fresh. A cache only: after a restart they are fetched again. */
export type ForecastCache = {
  /** Null where there is none, or none young enough. `renew`: usable still, but time to fetch the next one. */
  find(cell: string): { readonly forecast: Forecast; readonly renew: boolean } | null;
  keep(cell: string, forecast: Forecast): void;
};

export function createForecastCache(clock: Clock): ForecastCache {
  const { cells, freshMs, renewAfterMs } = OPEN_METEO_LIMITS;
  /** The least recently used comes first. */
  const kept = new Map<string, Forecast>();
  return {
    find(cell) {
      const forecast = kept.get(cell);
      if (forecast === undefined) return null;
      kept.delete(cell);
      const ageMs = clock.nowMs() - Date.parse(forecast.fetchedAt);
      // Negative where the clock was set back: how old it is cannot be told.
      if (ageMs < 0 || ageMs >= freshMs) return null;
      kept.set(cell, forecast);
      return { forecast, renew: ageMs >= renewAfterMs };
    },
    keep(cell, forecast) {
      kept.delete(cell);
      kept.set(cell, forecast);
      const [oldest] = kept.keys();
      if (kept.size > cells && oldest !== undefined) kept.delete(oldest);
    },
  };
}
