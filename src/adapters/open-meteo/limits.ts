import { MINUTE_MS } from '../../eventsourcing/durations.ts';

/** All limits of this adapter. Beyond a limit there is no forecast, but never an error. */
export const OPEN_METEO_LIMITS = {
  /**
   * UTC days, including today. Recommendations need local dates up to seven days ahead; when the city's date is ahead
   * of UTC, the last one is the ninth UTC day. (Up to two weeks count as one call of the free quota.)
   */
  forecastDays: 9,
  /** Positions are rounded to a tenth of a degree, about 11 km, the resolution of forecast models. */
  cellsPerDegree: 10,
  /** Maximum age of a used forecast. The models are updated every few hours. */
  freshMs: 30 * MINUTE_MS,
  /** From this age on, a used forecast is renewed in the background, so that callers do not wait. */
  renewAfterMs: 20 * MINUTE_MS,
  /** Maximum cached forecasts (LRU), about 20 KB each. All supported positions are about 2,300 cells. */
  cells: 500,
  /** The free service handles one call per IP address at a time and queues six more. */
  callsAtOnce: 6,
  /** Nine days of five variables are about 10 KB. */
  bodyBytes: 128 * 1024,
  /** Consecutive faults that open the circuit. */
  faultsInARow: 3,
  /** How long the circuit stays open before a trial call. */
  circuitOpenMs: MINUTE_MS,
} as const;
