import { HOUR_MS } from '../../src/eventsourcing/durations.ts';

/** Variables and units as the service documents them, with a value for the n-th hour. */
const VARIABLES = {
  temperature_2m: { unit: '°C', at: (hour: number) => 24 + (hour % 10) },
  precipitation_probability: { unit: '%', at: (hour: number) => hour % 100 },
  precipitation: { unit: 'mm', at: (hour: number) => (hour % 5) / 10 },
  wind_speed_10m: { unit: 'km/h', at: (hour: number) => 5 + (hour % 7) },
  weather_code: { unit: 'wmo code', at: (hour: number) => (hour % 3 === 0 ? 95 : 1) },
} as const;

type Hourly = Record<string, (string | number | null)[]>;

/** A documented answer of `/v1/forecast`, which tests change. */
export type Documented = Record<string, unknown> & { hourly_units: Record<string, string>; hourly: Hourly };

/** Hourly values from a full hour (ISO 8601) on. The coordinates are those of the model's grid, near the requested ones. */
export function documentedAnswer(from: string, hours = 9 * 24): Documented {
  const count = Array.from({ length: hours }, (_, hour) => hour);
  const hourly: Hourly = {
    time: count.map((hour) => new Date(Date.parse(from) + hour * HOUR_MS).toISOString().slice(0, 16)),
  };
  const units: Record<string, string> = { time: 'iso8601' };
  for (const [name, { unit, at }] of Object.entries(VARIABLES)) {
    units[name] = unit;
    hourly[name] = count.map(at);
  }
  return {
    latitude: 13.75,
    longitude: 100.5,
    generationtime_ms: 0.0830888748168945,
    utc_offset_seconds: 0,
    timezone: 'GMT',
    timezone_abbreviation: 'GMT',
    elevation: 4,
    hourly_units: units,
    hourly,
  };
}

/** An HTTP server with scripted answers. */
export type WeatherServer = AsyncDisposable & {
  readonly url: string;
  /** Path and query of each request, oldest first. */
  readonly asked: readonly URL[];
  /** Sets the answer to later requests. */
  answer(how: () => Response | Promise<Response>): void;
  stop(): Promise<void>;
};

/** Returns documented answers from a full hour (ISO 8601) on, until a test sets another one. */
export function weatherServer(from: string): WeatherServer {
  const asked: URL[] = [];
  let respond: () => Response | Promise<Response> = () => Response.json(documentedAnswer(from));
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(new URL(request.url));
      return respond();
    },
  });
  const stop = (): Promise<void> => server.stop(true);
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    answer(how) {
      respond = how;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The documented error response. */
export function documentedRefusal(status: number, reason: string): Response {
  return Response.json({ error: true, reason }, { status });
}
