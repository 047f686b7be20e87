import type { CancellationPolicy, LocalDate } from '../../domain/activity/activity.ts';
import { type Allotment, findHold, type Hold, holdStatus, mayBeForgotten } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { HoldFacts } from '../../domain/hold/hold.ts';
import { type HoldId, type KeyId, parseHoldId } from '../../domain/ids.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';

/** What a request asked to hold. Only the allotment records whether it was held, and how the hold ended. */
export type AskedHold = { readonly kind: 'asked'; readonly id: HoldId; readonly facts: HoldFacts };

/** A hold, read from its own stream and from its allotment's. */
export type HoldView = {
  readonly kind: 'hold';
  readonly id: HoldId;
  readonly facts: HoldFacts;
  readonly hold: Hold;
  /** The present one of its date. */
  readonly cancellation: CancellationPolicy;
};

/** The fields of a booking request that must match its hold. */
type RequestWithHold = {
  readonly keyId: KeyId;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
};

type Context = Pick<BookingContext, 'streams' | 'clock' | 'limits'>;

/** Reads a hold of the caller's key. */
export async function readHold(id: string, keyId: KeyId, context: Context): Promise<HoldView | Refused> {
  const asked = await readAskedHold(id, keyId, context);
  if (asked.kind === 'refused') return asked;
  const read = await readAllotment(asked.facts, context);
  if (read.kind === 'refused') return read;
  return holdIn(read.allotment, asked) ?? holdNotFound(id);
}

/** Null if the allotment never had the hold, or has forgotten one of a release that stored no price with the request. */
export function holdIn(allotment: Allotment, { id, facts }: Pick<HoldView, 'id' | 'facts'>): HoldView | null {
  const hold = findHold(allotment, id) ?? forgottenHold(allotment, facts);
  if (allotment.status !== 'open' || hold === null) return null;
  return { kind: 'hold', id, facts, hold, cancellation: allotment.schedule.cancellation };
}

/** A hold that the allotment may have forgotten: from its request, as if it was released without being used. */
function forgottenHold(allotment: Allotment, facts: HoldFacts): Hold | null {
  const { offered, releasesSeen } = facts;
  if (offered === null || !mayBeForgotten(allotment, releasesSeen)) return null;
  return { size: guestsOf(facts), ...offered, keyId: facts.keyId, status: 'released', takenBy: null };
}

/** Reads what a hold of the caller's key asks for. Refuses another key's hold as unknown, to hide that it exists. */
export async function readAskedHold(
  id: string,
  asker: KeyId | 'operator',
  { streams, clock, limits }: Context,
): Promise<AskedHold | Refused> {
  const parsed = parseHoldId(id);
  if (parsed === null) return holdNotFound(id);
  const reply = await streams.holds.read(parsed, clock.nowMs() + limits.responseMs);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased' || reply.state.status === 'none') return holdNotFound(id);
  const { facts } = reply.state;
  if (asker !== 'operator' && facts.keyId !== asker) return holdNotFound(id);
  return { kind: 'asked', id: parsed, facts };
}

/** The hold that a booking request names. Refuses a hold that is unknown or that differs from the request. */
export async function readHoldToBook(
  id: string,
  request: RequestWithHold,
  context: Context,
): Promise<AskedHold | Refused> {
  const asked = await readAskedHold(id, request.keyId, context);
  if (asked.kind === 'refused') return asked;
  const { facts } = asked;
  const fields = [
    ['activity_id', facts.activityId, request.activityId],
    ['booking_date', facts.date, request.date],
    ['num_adults', facts.numAdults, request.numAdults],
    ['num_children', facts.numChildren, request.numChildren],
  ] as const;
  const faults = fields
    .filter(([, held, requested]) => held !== requested)
    .map(([name, held, requested]) => `${name} must be ${held}, as it was held; it was ${requested}.`);
  const [first] = faults;
  return first === undefined ? asked : refused('INVALID_REQUEST', first, { details: faults.join(' ') });
}

/** The refusal of a booking whose hold the allotment did not accept. */
export async function explainUnusableHold(asked: AskedHold, context: Context): Promise<Refused> {
  const read = await readAllotment(asked.facts, context);
  if (read.kind === 'refused') return read;
  const found = usableHold(asked.id, holdIn(read.allotment, asked)?.hold, context.clock.nowMs());
  // Only a clock that was set back makes a hold open again.
  return found.kind === 'refused'
    ? found
    : serviceUnavailable('contended', { call: `use of hold-${asked.id}, which is open again` });
}

/** Reads the allotment of a hold. */
export async function readAllotment(
  { allotment: id }: Pick<HoldFacts, 'allotment'>,
  { streams, clock, limits }: Context,
): Promise<{ readonly kind: 'allotment'; readonly allotment: Allotment } | Refused> {
  const reply = await streams.allotments.read(id, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  return { kind: 'allotment', allotment: reply.state };
}

/** The hold, if it can be used at `nowMs` (ms since the epoch); else the refusal that says why not. */
export function usableHold(
  id: string,
  hold: Hold | undefined,
  nowMs: number,
): { readonly kind: 'usable'; readonly hold: Hold } | Refused {
  if (hold === undefined) return holdNotFound(id);
  const status = holdStatus(hold, nowMs);
  switch (status) {
    case 'open':
      return { kind: 'usable', hold };
    case 'used': {
      const message = `hold_id "${id}" was used already; see booking_id in details, or make a new hold.`;
      return refused('HOLD_USED', message, { details: `booking_id: ${hold.takenBy?.booking ?? 'unknown'}` });
    }
    case 'released':
    case 'expired': {
      const why = status === 'expired' ? 'has expired' : 'was released';
      const message = `hold_id "${id}" ${why}; make a new hold, or leave hold_id out to book what is free now.`;
      return refused('HOLD_EXPIRED', message, { details: `expires_at: ${new Date(hold.expiresAtMs).toISOString()}` });
    }
    default:
      return unreachable(status);
  }
}

/** The same refusal for an unknown hold and for another key's. */
function holdNotFound(id: string): Refused {
  return refused('HOLD_NOT_FOUND', `hold_id "${id}" is not a hold of this key; check the id, or book without one.`);
}
