import { STATUS } from '../../src/http/status.ts';
import type { Reference, Seen } from '../support/reference.ts';
import type { Outcome } from './connection.ts';
import type { Secrets } from './secrets.ts';
import type { Shot } from './shot.ts';

/** Headers that HTTP adds to every answer. */
const OF_HTTP = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];
/** Where a program's insides show. */
const INSIDES = /node_modules|\bat (?:async )?[\w.<>]+ \(|\.ts:\d+|SQLITE_|ERR_[A-Z]{3}|\[object Object\]/;

/** What is wrong with what came back for a request that was sound HTTP; null: nothing. */
export function wrongWith(shot: Shot, outcome: Outcome, reference: Reference, secrets: Secrets): string | null {
  if (outcome.kind === 'closed') return 'the connection was closed without an answer';
  if (outcome.kind === 'silence') return 'there was no answer within the deadline';
  if (outcome.kind === 'garbage') return `what came is no HTTP: ${outcome.text}`;
  const { seen } = outcome;
  const sent = Buffer.from(shot.bytes).toString('utf8');
  const shown = secrets.shownIn(seen.text, sent) ?? secrets.shownIn(JSON.stringify([...seen.headers]), sent);
  if (shown !== null) return `it shows ${shown}`;
  if (seen.status >= 500) return `it is ${seen.status}: ${seen.text.slice(0, 500)}`;
  if (seen.headers.get('x-request-id') === null) return `it has no x-request-id: ${seen.status}`;
  return shot.method === 'HEAD' ? null : (brokenEnvelope(seen, sent) ?? against(reference, shot, seen));
}

/** What is wrong with what came back for bytes that were none; null: nothing. */
export function wrongWithBytes(received: string, sent: string, secrets: Secrets): string | null {
  const shown = secrets.shownIn(received, sent);
  if (shown !== null) return `it shows ${shown}`;
  // 501 (not implemented) and 505 (HTTP version not supported) are correct answers.
  const [failed] = received.match(/^HTTP\/1\.1 5(?!01|05).*/m) ?? [];
  if (failed !== undefined) return `it is ${failed}`;
  return INSIDES.test(received) && !INSIDES.test(sent) ? 'it shows the inside of the program' : null;
}

/** The envelope of a refusal, whichever path it came from. */
function brokenEnvelope({ status, headers, text }: Seen, sent: string): string | null {
  if (status < 400 || text.startsWith('{"jsonrpc"')) return null;
  if (!(headers.get('content-type') ?? '').startsWith('application/json'))
    return `${status} is no JSON: ${text.slice(0, 200)}`;
  // The parser of this boundary: every member is looked at below.
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { success, error, code, details, retryable } = body;
  const statuses: Readonly<Record<string, number>> = STATUS;
  const whole =
    success === false && typeof error === 'string' && typeof details === 'string' && typeof retryable === 'boolean';
  if (!whole || statuses[String(code)] !== status) return `${status} is no refusal of ours: ${text.slice(0, 500)}`;
  return INSIDES.test(text) && !INSIDES.test(sent) ? `it shows the inside of the program: ${text.slice(0, 500)}` : null;
}

/** A path that was written as no client writes it may lead anywhere; the others to what the reference tells of them. */
function against(reference: Reference, { plain, method, target }: Shot, seen: Seen): string | null {
  if (!plain) return null;
  const headers = new Headers([...seen.headers].filter(([name]) => !OF_HTTP.includes(name)));
  try {
    reference.check({ method, url: `http://localhost${target}` }, { ...seen, headers });
    return null;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}
