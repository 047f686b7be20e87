import type { Forecast, UnavailableReason } from '../../ports/weather.ts';
import { OPEN_METEO_LIMITS } from './limits.ts';
import { HOURLY_VARIABLES, parseAnswer, parseReason } from './parse-answer.ts';

/** A call without a forecast. `detail` is for the log; it contains no request data, at most the service's own text. */
export type Failure = { readonly kind: 'failure'; readonly reason: UnavailableReason; readonly detail: string };

/** The centre of a cell, in degrees, formatted for the request. */
export type Cell = { readonly latitude: string; readonly longitude: string };

export type Call = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly cell: Cell;
  readonly deadlineMs: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  /** Aborts when the service stops. */
  readonly stop: AbortSignal;
};

/** Maximum length of the other service's text in a log line. */
const LONGEST_DETAIL = 200;

/**
 * One request for one forecast. Never rejects, and resolves at the deadline at the latest. The deadline uses real time,
 * not the clock port: a test clock that stands still must not make a caller wait forever.
 */
export async function callOpenMeteo({ baseUrl, cell, deadlineMs, startedAt, stop }: Call): Promise<Forecast | Failure> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await exchange(urlOf(baseUrl, cell), startedAt, AbortSignal.any([stop, deadline]));
  } catch (fault) {
    if (stop.aborted) return failure('off', 'the service stops');
    if (deadline.aborted) return failure('deadline', `no answer within ${deadlineMs} ms`);
    return failure('unreachable', codeOf(fault));
  }
}

async function exchange(url: string, startedAt: string, signal: AbortSignal): Promise<Forecast | Failure> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  const body = response.body === null ? '' : await readBody(response.body);
  if (response.status !== 200) {
    return failure('refused', `status ${response.status} ${body === null ? '' : parseReason(body)}`.trim());
  }
  if (body === null) return failure('too-large', `more than ${OPEN_METEO_LIMITS.bodyBytes} bytes`);
  const answer = parseAnswer(body, startedAt);
  return answer.kind === 'forecast' ? answer : failure('malformed', answer.what);
}

/** Reads the body; null if it exceeds the limit. */
async function readBody(stream: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > OPEN_METEO_LIMITS.bodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function urlOf(baseUrl: string, { latitude, longitude }: Cell): string {
  const query = new URLSearchParams({
    latitude,
    longitude,
    hourly: HOURLY_VARIABLES.join(','),
    forecast_days: String(OPEN_METEO_LIMITS.forecastDays),
    timezone: 'UTC',
  });
  return `${baseUrl}/v1/forecast?${query.toString()}`;
}

function failure(reason: UnavailableReason, detail: string): Failure {
  return { kind: 'failure', reason, detail: detail.slice(0, LONGEST_DETAIL) };
}

/** The fault's code; its message may contain the URL. */
function codeOf(fault: unknown): string {
  if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  return fault instanceof Error ? fault.name : 'unknown fault';
}
