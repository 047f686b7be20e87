import { CODECS } from '../domain/codecs.ts';
import type { EventStore, StoredEvent } from '../ports/event-store.ts';
import type { OperatorRole } from './authenticate.ts';
import { type Refused, refused } from './refusal.ts';

/**
 * Members that are shown to nobody: what opens a key or a device is kept as a digest, and other secrets sealed. Who a guest
 * is, is told with the booking alone, which knows whether it was erased.
 */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  apikey: ['hash', 'webhookSecret'],
  guest: ['email', 'name', 'specialRequests'],
  venue: ['hash'],
  voucherkey: ['sealed'],
};
/** Members that analysts do not see: how the owners of keys are reached, and where their receivers are. */
const CONFIDENTIAL: Readonly<Record<string, readonly string[]>> = {
  apikey: ['contactEmail', 'ipAllowlist', 'webhookUrl'],
  booking: ['webhookUrl'],
  delivery: ['origin'],
  endpoint: ['origin'],
};
/** What opens a gate: elsewhere `code` is only the reason of a refusal. */
const VOUCHER_CODE = { event: 'VoucherIssued', member: 'code' } as const;
const MASK = '[hidden]';

const CATEGORIES: readonly string[] = [...CODECS.map(({ category }) => category), 'checkpoint'];

export type StreamPage = {
  readonly kind: 'page';
  readonly events: readonly StoredEvent[];
  /** The revision that the next page begins with, null on the last. */
  readonly next: number | null;
};

/** The events of a stream as they are stored, oldest first, without what the asker must not see. */
export async function readStream(
  stream: string,
  { from, limit, asker }: { readonly from: number; readonly limit: number; readonly asker: OperatorRole },
  { store }: { readonly store: Pick<EventStore, 'read'> },
): Promise<StreamPage | Refused> {
  const category = stream.slice(0, stream.indexOf('-'));
  if (!CATEGORIES.includes(category)) {
    return refused(
      'NOT_FOUND',
      `There is no stream "${stream}"; a stream is named {category}-{id}, with one of the categories ${CATEGORIES.join(', ')}.`,
    );
  }
  // One more than the page tells whether another page follows.
  const read = await store.read(stream, from, limit + 1);
  if (read.kind === 'no-stream') return refused('NOT_FOUND', `There is no stream "${stream}".`);
  if (read.kind === 'erased') return refused('NOT_FOUND', `The stream "${stream}" was erased for good.`);
  const hidden = [...(HIDDEN[category] ?? []), ...(asker === 'admin' ? [] : (CONFIDENTIAL[category] ?? []))];
  const hiddenIn = ({ type }: StoredEvent): readonly string[] =>
    asker === 'analyst' && type.startsWith(VOUCHER_CODE.event) ? [...hidden, VOUCHER_CODE.member] : hidden;
  const events = read.events.slice(0, limit).map((event) => ({ ...event, data: masked(event.data, hiddenIn(event)) }));
  return { kind: 'page', events, next: read.events[limit]?.revision ?? null };
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
