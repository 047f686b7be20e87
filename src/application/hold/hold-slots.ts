import type { LocalDate } from '../../domain/activity/activity.ts';
import { freeSlots, type Hold, holdIn } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { HoldFacts } from '../../domain/hold/hold.ts';
import type { Fingerprint, HoldId, KeyId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { exhausted, type Offer, offerOf } from '../booking/booking-offer.ts';
import { fingerprintOf, freshHoldId, holdIdOfKey } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { readContextLog } from '../recommend/read-context-log.ts';
import { noReply, type Refused } from '../refusal.ts';
import { type HoldView, readAllotmentOf } from './read-hold.ts';

export type HoldSlots = {
  readonly keyId: KeyId;
  readonly idempotencyKey: string | null;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  /** The log_id of the recommendation that it follows: it makes guests of a hotel known, who have their own price. */
  readonly contextLogId: string | null;
};

export type Held = HoldView & {
  /** True where an earlier request with this Idempotency-Key had made the hold. */
  readonly replayed: boolean;
  /** Of the last event this request appended; null for a replay. */
  readonly position: Position | null;
};

/** Keeps slots and price for a while. What is wanted is written first, then the slots are held: durable on return. */
export async function holdSlots(request: HoldSlots, cause: Cause, context: BookingContext): Promise<Held | Refused> {
  const { digest, ids, clock, inFlight } = context;
  const { keyId, idempotencyKey, activityId, date, numAdults, numChildren, contextLogId } = request;
  const fingerprint = fingerprintOf(digest, [activityId, date, numAdults, numChildren, contextLogId]);
  if (idempotencyKey === null) {
    return attempt({ ...request, id: freshHoldId(ids, clock.nowMs()), fingerprint, fresh: true }, cause, context);
  }
  const id = holdIdOfKey(digest, keyId, idempotencyKey);
  const ownOr = async (otherwise: () => Promise<Held | Refused> | Refused): Promise<Held | Refused> =>
    (await knownUnder(id, fingerprint, context)) ?? otherwise();
  const work = () => ownOr(() => attempt({ ...request, id, fingerprint, fresh: false }, cause, context));
  return inFlight.run(id, fingerprint, work, () => ownOr(keyReused));
}

/** The hold of an Idempotency-Key as it is now; null where nothing was held under it yet. */
async function knownUnder(
  id: HoldId,
  fingerprint: Fingerprint,
  context: BookingContext,
): Promise<Held | Refused | null> {
  const { streams, clock, limits } = context;
  const reply = await streams.holds.read(id, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  if (reply.state.status === 'none') return null;
  const { facts } = reply.state;
  if (facts.fingerprint !== fingerprint) return keyReused();
  const read = await readAllotmentOf(facts, context);
  if (read.kind === 'refused') return read;
  const hold = holdIn(read.allotment, id);
  return hold === undefined ? null : { kind: 'hold', id, facts, hold, replayed: true, position: null };
}

type Asked = HoldSlots & { readonly id: HoldId; readonly fingerprint: Fingerprint; readonly fresh: boolean };

async function attempt(asked: Asked, cause: Cause, context: BookingContext): Promise<Held | Refused> {
  const { id, contextLogId, keyId } = asked;
  const log = contextLogId === null ? null : await readContextLog(contextLogId, keyId, context);
  if (log?.kind === 'refused') return log;
  const wish = { ...asked, hotelId: log?.facts.hotelId ?? null };
  const offer = await offerOf(wish, context);
  if (offer.kind === 'refused') return offer;
  const { allotment, opening } = offer;
  // Looked at first, so that a wish for which there is no room leaves nothing behind. What counts is the decision below.
  const read = await readAllotmentOf({ allotment }, context);
  if (read.kind === 'refused') return read;
  const free = freeSlots(read.allotment, opening);
  if (free < guestsOf(asked) && holdIn(read.allotment, id) === undefined) return exhausted(wish, offer, free, context);
  const { clock, limits, streams } = context;
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const facts = factsOf(asked, offer, cause);
  const ask = { type: 'AskHold', facts } as const;
  const written = await streams.holds.handle(id, ask, cause, deadlineMs, { fresh: asked.fresh });
  if (written.kind === 'rejected') return keyReused();
  if (written.kind !== 'accepted') return noReply(written);
  const reply = await streams.allotments.handle(allotment, commandOf(asked, offer, context), cause, deadlineMs);
  switch (reply.kind) {
    case 'accepted':
      return {
        kind: 'hold',
        id,
        facts: written.state.status === 'asked' ? written.state.facts : facts,
        hold: given(holdIn(reply.state, id), id),
        replayed: reply.events.length === 0,
        position: reply.position,
      };
    case 'rejected':
      if (reply.rejection.code !== 'INVENTORY_EXHAUSTED') throw new Error(`${id} was refused: ${reply.rejection.code}`);
      return exhausted(wish, offer, reply.rejection.free, context);
    default:
      return noReply(reply);
  }
}

function factsOf(
  { id, keyId, fingerprint, date, numAdults, numChildren }: Asked,
  offer: Offer,
  cause: Cause,
): HoldFacts {
  const { activity, allotment } = offer;
  const { at } = cause;
  return { hold: id, keyId, fingerprint, activityId: activity.id, date, allotment, numAdults, numChildren, at };
}

/** Nothing is held beyond the last entry: from then on the date cannot be booked. */
function commandOf(asked: Asked, { day, hotelPercentOff, opening }: Offer, { clock, limits }: BookingContext) {
  const nowMs = clock.nowMs();
  const expiresAtMs = Math.min(nowMs + limits.holdMs, day.lastEntryMs);
  const size = guestsOf(asked);
  return { type: 'HoldSlots', hold: asked.id, size, expiresAtMs, hotelPercentOff, nowMs, opening } as const;
}

function given(hold: Hold | undefined, id: HoldId): Hold {
  if (hold === undefined) throw new Error(`${id} was held, but its allotment says nothing of it`);
  return hold;
}
