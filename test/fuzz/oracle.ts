import { STATUS } from '../../src/http/status.ts';
import type { Reference, Seen } from '../support/reference.ts';
import type { Outcome } from './connection.ts';
import type { FuzzRequest } from './request.ts';
import type { Secrets } from './secrets.ts';

/** Headers that HTTP adds to every answer. */
const OF_HTTP = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];
/** Internals of the program in an answer. */
const INTERNALS = /node_modules|\bat (?:async )?[\w.<>]+ \(|\.ts:\d+|SQLITE_|ERR_[A-Z]{3}|\[object Object\]/;

/** The fault in the outcome of a valid HTTP request; null without one. */
export function faultOf(request: FuzzRequest, outcome: Outcome, reference: Reference, secrets: Secrets): string | null {
  if (outcome.kind === 'closed') return 'the connection was closed without an answer';
  if (outcome.kind === 'timeout') return 'there was no answer within the deadline';
  if (outcome.kind === 'invalid') return `the answer is not HTTP: ${outcome.text}`;
  const { seen } = outcome;
  const sent = Buffer.from(request.bytes).toString('utf8');
  const shown = secrets.leakIn(seen.text, sent) ?? secrets.leakIn(JSON.stringify([...seen.headers]), sent);
  if (shown !== null) return `it contains ${shown}`;
  if (seen.status >= 500) return `the status is ${seen.status}: ${seen.text.slice(0, 500)}`;
  if (seen.headers.get('x-request-id') === null) return `it has no x-request-id: ${seen.status}`;
  return request.method === 'HEAD' ? null : (brokenEnvelope(seen, sent) ?? faultByReference(reference, request, seen));
}

/** The fault in the answer to malformed bytes; null without one. */
export function faultOfMalformed(received: string, sent: string, secrets: Secrets): string | null {
  const shown = secrets.leakIn(received, sent);
  if (shown !== null) return `it contains ${shown}`;
  // 501 (not implemented) and 505 (HTTP version not supported) are correct answers.
  const [failed] = received.match(/^HTTP\/1\.1 5(?!01|05).*/m) ?? [];
  if (failed !== undefined) return `the answer is ${failed}`;
  return INTERNALS.test(received) && !INTERNALS.test(sent) ? 'it contains internals of the program' : null;
}

/** The fault in the envelope of a refusal; null without one. */
function brokenEnvelope({ status, headers, text }: Seen, sent: string): string | null {
  if (status < 400 || text.startsWith('{"jsonrpc"')) return null;
  if (!(headers.get('content-type') ?? '').startsWith('application/json'))
    return `${status} is not JSON: ${text.slice(0, 200)}`;
  // Every field is checked below.
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { success, error, code, details, retryable } = body;
  const statuses: Readonly<Record<string, number>> = STATUS;
  const whole =
    success === false && typeof error === 'string' && typeof details === 'string' && typeof retryable === 'boolean';
  if (!whole || statuses[String(code)] !== status)
    return `${status} is not a refusal of the API: ${text.slice(0, 500)}`;
  return INTERNALS.test(text) && !INTERNALS.test(sent)
    ? `it contains internals of the program: ${text.slice(0, 500)}`
    : null;
}

/** Checks the answer against the reference. A path that is not canonical may lead to any operation. */
function faultByReference(reference: Reference, { canonical, method, target }: FuzzRequest, seen: Seen): string | null {
  if (!canonical) return null;
  const headers = new Headers([...seen.headers].filter(([name]) => !OF_HTTP.includes(name)));
  try {
    reference.check({ method, url: `http://localhost${target}` }, { ...seen, headers });
    return null;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}
