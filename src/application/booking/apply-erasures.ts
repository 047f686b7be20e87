import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingId } from '../../domain/ids.ts';
import { fold } from '../../eventsourcing/decider.ts';
import type { Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Erasure, ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { Streams } from '../streams.ts';
import { erasureIn } from './erasure.ts';
import { bookingHistory } from './read-booking.ts';

/** Entries compared with the log at once. */
const PAGE = 32;
const DECISION_MS = 10_000;
const BY = 'erasure-ledger';

export type ApplyErasuresContext = {
  readonly erasures: Pick<ErasureLedger, 'record' | 'newestFirst'>;
  readonly store: Pick<DecodedEventStore, 'read'>;
  readonly streams: Pick<Streams, 'bookings'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

export type AppliedErasures = {
  readonly applied: number;
  /** Not applied yet: a request still works on the booking, or its stream cannot be read. */
  readonly left: readonly Erasure[];
  /** Of the last erasure in the log among those that were compared, those of other nodes included; null without one. */
  readonly position: Position | null;
};

/**
 * Erases the guests whose erasure is in the ledger and not in the log, which is then an older copy (docs/decisions/0088). An
 * older copy lacks the last erasures, so it looks at the entries with the greatest positions until a page lacks none: one
 * page, if the log was not replaced. It erases the oldest ones first, so that a crash leaves this order.
 *
 * @throws StoreUnavailable
 */
export async function applyErasures(context: ApplyErasuresContext): Promise<AppliedErasures> {
  const compared: Compared[] = [];
  let page: Erasure[] = [];
  for await (const erasure of context.erasures.newestFirst()) {
    page.push(erasure);
    if (page.length < PAGE) continue;
    const places = await compare(page, context);
    compared.push(...places);
    page = [];
    // Entries of this log, and none that it lacks.
    if (places.some(isIn('in-log')) && !places.some(isIn('missing'))) break;
  }
  compared.push(...(await compare(page, context)));
  return applyCompared(compared, context);
}

/**
 * Applies what an earlier call left.
 * @throws StoreUnavailable
 */
export async function applyLeft(
  left: readonly Erasure[],
  context: Omit<ApplyErasuresContext, 'erasures'> & { readonly erasures: Pick<ErasureLedger, 'record'> },
): Promise<AppliedErasures> {
  return applyCompared(await compare(left, context), context);
}

/** `none`: the log has no such booking, or one that the caller made again after the erasure. */
type Place =
  | { readonly kind: 'in-log'; readonly position: Position }
  | { readonly kind: 'missing' | 'none' | 'unreadable' };
type Compared = { readonly erasure: Erasure; readonly place: Place };
type Comparing = Pick<ApplyErasuresContext, 'store' | 'log'>;

function isIn(kind: Place['kind']): (compared: Compared) => boolean {
  return ({ place }) => place.kind === kind;
}

function compare(erasures: readonly Erasure[], context: Comparing): Promise<Compared[]> {
  return Promise.all(erasures.map(async (erasure) => ({ erasure, place: await placeOf(erasure, context) })));
}

/** @throws StoreUnavailable. A stream with an event that cannot be decoded does not keep the service from starting */
async function placeOf({ booking, at }: Erasure, { store, log }: Comparing): Promise<Place> {
  try {
    // The ledger has ids of bookings only.
    const events = await bookingHistory(booking as BookingId, { store });
    const erased = erasureIn(events);
    if (erased !== null) return { kind: 'in-log', position: erased.position };
    const state = fold(bookingDecider, events);
    return { kind: state.status === 'none' || state.facts.at > at ? 'none' : 'missing' };
  } catch (fault) {
    if (fault instanceof StoreUnavailable || fault instanceof StoreRefused) throw fault;
    log.error('erasure left: its booking cannot be read', { booking, fault });
    return { kind: 'unreadable' };
  }
}

/** @param compared newest first */
async function applyCompared(
  compared: readonly Compared[],
  context: Parameters<typeof applyLeft>[1],
): Promise<AppliedErasures> {
  const left = compared.filter(isIn('unreadable')).map(({ erasure }) => erasure);
  const positions = compared.flatMap(({ place }) => (place.kind === 'in-log' ? [place.position] : []));
  let applied = 0;
  for (const { erasure } of compared.filter(isIn('missing')).toReversed()) {
    const position = await eraseAgain(erasure, context);
    if (position === null) {
      left.push(erasure);
      continue;
    }
    applied++;
    positions.push(position);
    // Its place in this log, with which another copy is compared. One that is left stays among the newest.
    await context.erasures.record({ ...erasure, position });
  }
  return { applied, left, position: positions.reduce(later, null) };
}

function later(last: Position | null, position: Position): Position {
  return last === null || position > last ? position : last;
}

/** The position of the erasure; null while a request still works on the booking. */
async function eraseAgain(
  erasure: Erasure,
  { streams, clock, ids, ...comparing }: Parameters<typeof applyLeft>[1],
): Promise<Position | null> {
  const { booking, at } = erasure;
  const nowMs = clock.nowMs();
  const cause = { correlationId: ids.uuid(), causationId: null, by: BY, at: new Date(nowMs).toISOString() };
  const command = { type: 'EraseGuest', by: 'system', at } as const;
  const reply = await streams.bookings.handle(booking, command, cause, nowMs + DECISION_MS);
  if (reply.kind === 'rejected') return null;
  if (reply.kind === 'accepted' && reply.position !== null) return reply.position;
  // Another node was first.
  const place = reply.kind === 'accepted' ? await placeOf(erasure, comparing) : null;
  if (place?.kind === 'in-log') return place.position;
  throw new StoreUnavailable('event store', `the erasure of ${booking} could not be applied to the log`);
}
