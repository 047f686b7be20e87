/** Every limit of this adapter, in one place. Reaching one means that there is no forecast, never an error. */
export const OPEN_METEO_LIMITS = {
  /**
   * Days of UTC, today included. Recommendations look at a local date up to seven days ahead, and while it is already
   * tomorrow in the city but not in UTC, that date is the ninth. (Up to two weeks count as one call of the free quota.)
   */
  forecastDays: 9,
  /** Positions are rounded to a tenth of a degree, about 11 km: what a forecast model can tell apart. */
  cellsPerDegree: 10,
  /** From this age on a forecast is not used. The models behind it are renewed every few hours. */
  freshMs: 30 * 60_000,
  /** From this age on it is still used, and renewed in the background, so that nobody waits where many ask. */
  renewAfterMs: 20 * 60_000,
  /** Forecasts kept, the least recently used going first: some 20 KB each. All supported positions are about 2,300 cells. */
  cells: 500,
  /** The free service works at one call of an address at a time and lets six more wait. */
  callsAtOnce: 6,
  /** Nine days of five variables are about 10 KB. */
  bodyBytes: 128 * 1024,
  /** So many faults in a row open the circuit … */
  faultsInARow: 3,
  /** … for so long; then one call finds out whether it closes. */
  circuitOpenMs: 60_000,
} as const;
