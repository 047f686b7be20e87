import type { Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Erasure, ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { Ids } from '../../ports/ids.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { Streams } from '../streams.ts';

/** Entries compared with the log at once. */
const PAGE = 32;
const DECISION_MS = 10_000;
const BY = 'erasure-ledger';

export type ApplyErasuresContext = {
  readonly erasures: Pick<ErasureLedger, 'record' | 'newestFirst'>;
  readonly streams: Pick<Streams, 'bookings'>;
  readonly clock: Clock;
  readonly ids: Ids;
};

export type AppliedErasures = {
  readonly applied: number;
  /** Bookings that are still being worked on; they can be erased when that has ended. */
  readonly left: number;
  /** Of the last event appended; null for none. */
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
  const missing = await missingInLog(context);
  let [applied, left, position]: [number, number, Position | null] = [0, 0, null];
  for (const erasure of missing.toReversed()) {
    const outcome = await eraseAgain(erasure, context);
    if (outcome === 'left') left++;
    else applied++;
    if (typeof outcome === 'number') position = outcome;
    // Its place in this log, with which another copy is compared. One that is left stays among the newest.
    if (position !== null) await context.erasures.record({ ...erasure, position });
  }
  return { applied, left, position };
}

async function missingInLog(context: ApplyErasuresContext): Promise<Erasure[]> {
  const missing: Erasure[] = [];
  let page: Erasure[] = [];
  /** True once a page has entries of this log, and lacks none. */
  const compare = async (): Promise<boolean> => {
    const places = await Promise.all(page.map((erasure) => placeOf(erasure, context)));
    const lacking = page.filter((_, index) => places[index] === 'missing');
    missing.push(...lacking);
    page = [];
    return lacking.length === 0 && places.includes('in-log');
  };
  for await (const erasure of context.erasures.newestFirst()) {
    page.push(erasure);
    if (page.length === PAGE && (await compare())) return missing;
  }
  await compare();
  return missing;
}

/** `none`: the log has no such booking, or one that the caller made again after the erasure. */
async function placeOf(erasure: Erasure, context: ApplyErasuresContext): Promise<'in-log' | 'missing' | 'none'> {
  const { streams, clock } = context;
  const read = await streams.bookings.read(erasure.booking, clock.nowMs() + DECISION_MS);
  if (read.kind !== 'state') throw unanswered(erasure);
  if (read.state.status === 'none' || read.state.facts.at > erasure.at) return 'none';
  return read.state.guestErased ? 'in-log' : 'missing';
}

/** The position of the new event; null if another node was first; `left` while a request still works on the booking. */
async function eraseAgain({ booking, at }: Erasure, context: ApplyErasuresContext): Promise<Position | 'left' | null> {
  const { streams, clock, ids } = context;
  const nowMs = clock.nowMs();
  const cause = { correlationId: ids.uuid(), causationId: null, by: BY, at: new Date(nowMs).toISOString() };
  const command = { type: 'EraseGuest', by: 'system', at } as const;
  const reply = await streams.bookings.handle(booking, command, cause, nowMs + DECISION_MS);
  if (reply.kind === 'rejected') return 'left';
  if (reply.kind !== 'accepted') throw unanswered({ booking });
  return reply.position;
}

function unanswered({ booking }: Pick<Erasure, 'booking'>): StoreUnavailable {
  return new StoreUnavailable('event store', `the erasure of ${booking} could not be compared with the log`);
}
