/** Weather forecasts. They are optional: without one the caller continues. */
export interface Weather {
  /** Never rejects, and answers within the adapter's deadline. In degrees; nearby coordinates share an answer. */
  forecast(position: { readonly lat: number; readonly lon: number }): Promise<Forecast | WeatherUnavailable>;
}

export type Forecast = {
  readonly kind: 'forecast';
  readonly source: 'open-meteo';
  /** ISO 8601 UTC. */
  readonly fetchedAt: string;
  /** At least one, in chronological order; incomplete hours are left out. */
  readonly hours: readonly ForecastHour[];
};

/** Instants, which compare without a time zone. */
export type ForecastHour = {
  /** Ms since the epoch. */
  readonly atMs: number;
  readonly temperatureC: number;
  /** 0 to 100, for the 60 minutes before `atMs`. */
  readonly precipitationPercent: number;
  /** Sum of the 60 minutes before `atMs`. */
  readonly precipitationMm: number;
  /** Ten metres above ground. */
  readonly windKmh: number;
  /** WMO 4677: 0 clear, 45 fog, 61 rain, 95 thunderstorm … */
  readonly weatherCode: number;
};

export type WeatherUnavailable = { readonly kind: 'unavailable'; readonly reason: UnavailableReason };

export type UnavailableReason =
  /** Off by configuration, or because the service stops: no request was made. */
  | 'off'
  /** No answer before the deadline. */
  | 'deadline'
  | 'unreachable'
  /** A response with a status other than 200. */
  | 'refused'
  | 'too-large'
  /** A response in an undocumented form. */
  | 'malformed'
  /** No request was made, because the last ones failed … */
  | 'circuit-open'
  /** … or because the maximum number of requests is in progress. */
  | 'busy';
