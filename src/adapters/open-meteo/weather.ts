import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Forecast, UnavailableReason, Weather, WeatherUnavailable } from '../../ports/weather.ts';
import { type Cell, callOpenMeteo, type Failure } from './call.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createForecastCache } from './forecast-cache.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';

type OpenMeteo = Weather & {
  /** Aborts running calls and starts no other. */
  stop(): void;
};

type OpenMeteoSettings = {
  /** Without a trailing slash; null disables forecasts. */
  readonly baseUrl: string | null;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Forecasts of Open-Meteo (https://open-meteo.com/en/docs), cached by cell; see docs/decisions/0014-weather.md.
 * Concurrent requests for one cell share one call. Availability is logged when it changes, not at every request.
 */
export function openMeteo({ baseUrl, deadlineMs, clock, log }: OpenMeteoSettings): OpenMeteo {
  const cache = createForecastCache(clock);
  const breaker = createCircuitBreaker(clock);
  const tell = tellChanges(log);
  const stopping = new AbortController();
  const calls = new Map<string, Promise<Forecast | WeatherUnavailable>>();

  function call(cell: Cell, key: string, url: string): Promise<Forecast | WeatherUnavailable> {
    const underWay = calls.get(key);
    if (underWay !== undefined) return underWay;
    if (calls.size >= OPEN_METEO_LIMITS.callsAtOnce) return Promise.resolve(unavailable('busy'));
    if (!breaker.permit()) return Promise.resolve(unavailable('circuit-open'));
    const pending = make(cell, key, url).finally(() => calls.delete(key));
    calls.set(key, pending);
    return pending;
  }

  async function make(cell: Cell, key: string, url: string): Promise<Forecast | WeatherUnavailable> {
    const startedAt = new Date(clock.nowMs()).toISOString();
    const answer = await callOpenMeteo({ baseUrl: url, cell, deadlineMs, startedAt, stop: stopping.signal });
    if (stopping.signal.aborted) return unavailable('off');
    tell(answer);
    if (answer.kind === 'failure') {
      breaker.failed();
      return unavailable(answer.reason);
    }
    breaker.succeeded();
    cache.keep(key, answer);
    return answer;
  }

  return {
    async forecast({ lat, lon }) {
      if (baseUrl === null || stopping.signal.aborted) return unavailable('off');
      const cell = { latitude: middle(lat), longitude: middle(lon) };
      const key = `${cell.latitude},${cell.longitude}`;
      const found = cache.find(key);
      if (found === null) return call(cell, key, baseUrl);
      // The caller has its answer already, and a call never rejects.
      if (found.renew) void call(cell, key, baseUrl);
      return found.forecast;
    },
    stop: () => stopping.abort(),
  };
}

/** Logs when forecasts become unavailable, when the reason changes, and when they are back. */
function tellChanges(log: Log): (answer: Forecast | Failure) => void {
  let reason: UnavailableReason | null = null;
  return (answer) => {
    const now = answer.kind === 'failure' ? answer.reason : null;
    if (now === reason) return;
    reason = now;
    if (answer.kind === 'failure') log.warn('weather unavailable', { reason: answer.reason, detail: answer.detail });
    else log.info('weather available again');
  };
}

/**
 * Requests the centre of the cell: its positions share the answer, and the service does not learn a guest's position.
 */
function middle(degrees: number): string {
  const { cellsPerDegree } = OPEN_METEO_LIMITS;
  return (Math.round(degrees * cellsPerDegree) / cellsPerDegree).toFixed(1);
}

function unavailable(reason: UnavailableReason): WeatherUnavailable {
  return { kind: 'unavailable', reason };
}
