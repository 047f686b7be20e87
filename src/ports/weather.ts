/** Weather forecasts. A forecast is a help and never a condition: where there is none, the caller goes on without. */
export interface Weather {
  /** Never rejects, and answers within the adapter's deadline. Degrees; positions close to each other share an answer. */
  forecast(position: { readonly lat: number; readonly lon: number }): Promise<Forecast | Unavailable>;
}

export type Forecast = {
  readonly kind: 'forecast';
  readonly source: 'open-meteo';
  /** ISO 8601 UTC. */
  readonly fetchedAt: string;
  /** At least one, in the order of time; an hour of which something is not known is left out. */
  readonly hours: readonly ForecastHour[];
};

/** Instants, not local times: a forecast serves every city, and an instant needs no time zone to be compared. */
export type ForecastHour = {
  /** Ms since the epoch. */
  readonly atMs: number;
  readonly temperatureC: number;
  /** 0 to 100, for the 60 minutes before `atMs`. */
  readonly precipitationPercent: number;
  /** The sum of the 60 minutes before `atMs`. */
  readonly precipitationMm: number;
  /** Ten metres above ground. */
  readonly windKmh: number;
  /** WMO 4677: 0 clear, 45 fog, 61 rain, 95 thunderstorm … */
  readonly weatherCode: number;
};

export type Unavailable = { readonly kind: 'unavailable'; readonly reason: UnavailableReason };

export type UnavailableReason =
  /** By configuration, or because the service stops: nobody is asked. */
  | 'off'
  /** No answer before the deadline. */
  | 'deadline'
  | 'unreachable'
  /** An answer that says no: another status than 200. */
  | 'refused'
  | 'too-large'
  /** An answer that is not what is documented. */
  | 'malformed'
  /** Nobody was asked, because the last calls failed … */
  | 'circuit-open'
  /** … or because as many calls as are allowed are under way. */
  | 'busy';
