import { STREAM_CATEGORIES } from '../../domain/codecs.ts';
import { type FieldClass, MASK, type Role, sees } from '../../domain/operator/roles.ts';
import { liveCategoryOf } from '../../domain/test-streams.ts';
import type { EventStore, StoredEvent } from '../../ports/event-store.ts';
import { type Refused, refused } from '../refusal.ts';

/**
 * Fields hidden from everybody: digests, encrypted secrets and URLs of receivers. Guest data is shown only with its booking, which knows
 * whether it was erased.
 */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  // Of the venue's contact.
  activity: ['email'],
  apikey: ['hash', 'replaced', 'webhookSecret'],
  // Its path may hold a secret.
  booking: ['webhookUrl'],
  guest: ['email', 'metadata', 'name', 'reference', 'specialRequests'],
  operator: ['hash'],
  secretkey: ['digestKey'],
  venue: ['hash'],
  voucherkey: ['sealed'],
};

/** Streams that only some roles may read. */
const RESTRICTED: Readonly<Record<string, FieldClass>> = {
  apikey: 'credentialStreams',
  audit: 'auditStreams',
  operator: 'credentialStreams',
  secretkey: 'credentialStreams',
  session: 'credentialStreams',
};

type StreamPage = {
  readonly kind: 'page';
  readonly events: readonly StoredEvent[];
  /** First revision of the next page; null on the last page. */
  readonly next: number | null;
};

/** The stored events of a stream, oldest first; what is hidden from everybody, or from the role, is masked. */
export async function readStream(
  stream: string,
  { from, limit }: { readonly from: number; readonly limit: number },
  role: Role,
  { store }: { readonly store: Pick<EventStore, 'read'> },
): Promise<StreamPage | Refused> {
  const category = stream.slice(0, stream.indexOf('-'));
  if (!STREAM_CATEGORIES.includes(category)) {
    return refused(
      'NOT_FOUND',
      `There is no stream "${stream}"; a stream is named {category}-{id}, with one of the categories ${STREAM_CATEGORIES.join(', ')}.`,
    );
  }
  if (!mayRead(role, category))
    return refused('FORBIDDEN', `The role "${role}" may not read the streams of ${category}.`);
  // One event more than the page shows whether another page follows.
  const read = await store.read(stream, from, limit + 1);
  if (read.kind === 'no-stream') return refused('NOT_FOUND', `There is no stream "${stream}".`);
  if (read.kind === 'erased') return refused('NOT_FOUND', `The stream "${stream}" was erased for good.`);
  const events = read.events.slice(0, limit).map((event) => shownEvent(category, event));
  return { kind: 'page', events, next: read.events[limit]?.revision ?? null };
}

/** Whether a role may read the streams of a category. */
export function mayRead(role: Role, category: string): boolean {
  const fields = RESTRICTED[category];
  return fields === undefined || sees(role, fields);
}

/** An event with what is hidden from everybody masked. */
export function shownEvent(category: string, event: StoredEvent): StoredEvent {
  // The code opens the voucher, which names the guest. A read of the booking shows it, and is audited.
  const hidesCode = event.type.startsWith('VoucherIssued.');
  const hidden = [...(HIDDEN[liveCategoryOf(category)] ?? []), ...(hidesCode ? ['code'] : [])];
  return { ...event, data: masked(event.data, hidden) };
}

function masked(data: object, hidden: readonly string[]): object {
  if (Array.isArray(data)) return data.map((value: unknown) => shown('', value, hidden));
  const entries = Object.entries(data).map(([name, value]: [string, unknown]) => [name, shown(name, value, hidden)]);
  return Object.fromEntries(entries) as object;
}

function shown(name: string, value: unknown, hidden: readonly string[]): unknown {
  if (value === null) return null;
  if (hidden.includes(name)) return MASK;
  return typeof value === 'object' ? masked(value, hidden) : value;
}
