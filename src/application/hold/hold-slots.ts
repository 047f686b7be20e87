import type { LocalDate } from '../../domain/activity/activity.ts';
import { type Allotment, findHold, freeSlots, quotePrice, releasesOf } from '../../domain/allotment/state.ts';
import { holdEndMs, overShare } from '../../domain/allotment/unpaid.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { HoldFacts } from '../../domain/hold/hold.ts';
import type { Fingerprint, HoldId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { exhausted, type Offer, type RequestedOffer, requestedOffer } from '../booking/booking-offer.ts';
import { overUnpaidShare } from '../exposure/refusals.ts';
import { reserveExposure } from '../exposure/reserve-exposure.ts';
import { type Caller, fingerprintOf, freshHoldId, holdIdOfKey } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import { type HoldView, holdIn, readAllotment } from './read-hold.ts';

export type HoldSlots = Caller & {
  readonly idempotencyKey: string | null;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  /** log_id of a recommendation. It names the guests' hotel, which may give a discount. */
  readonly contextLogId: string | null;
};

type Held = HoldView & {
  /** True if an earlier request with this Idempotency-Key made the hold. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null for a replay. */
  readonly position: Position | null;
};

/**
 * Reserves slots and their price for a limited time. Records what the request asks for, then takes the slots; both are
 * durable on return.
 */
export async function holdSlots(request: HoldSlots, cause: Cause, context: BookingContext): Promise<Held | Refused> {
  const { digest, ids, clock, inFlight } = context;
  const { mode, idempotencyKey, activityId, date, numAdults, numChildren, contextLogId } = request;
  const fingerprint = fingerprintOf(digest, [activityId, date, numAdults, numChildren, contextLogId]);
  if (idempotencyKey === null) {
    return hold({ ...request, id: freshHoldId(mode, ids, clock.nowMs()), fingerprint, fresh: true }, cause, context);
  }
  const id = holdIdOfKey(digest, request, idempotencyKey);
  const replay = (): Promise<Held | Refused | null> => holdOfKey(id, fingerprint, context);
  return inFlight.run(
    id,
    fingerprint,
    async () => (await replay()) ?? hold({ ...request, id, fingerprint, fresh: false }, cause, context),
    async () => (await replay()) ?? keyReused(),
  );
}

/** The hold that an Idempotency-Key made; null if it made none. */
async function holdOfKey(
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
  const read = await readAllotment(facts, context);
  if (read.kind === 'refused') return read;
  const held = holdIn(read.allotment, { id, facts });
  return held && { ...held, replayed: true, position: null };
}

type IdentifiedRequest = HoldSlots & {
  readonly id: HoldId;
  readonly fingerprint: Fingerprint;
  readonly fresh: boolean;
};

async function hold(request: IdentifiedRequest, cause: Cause, context: BookingContext): Promise<Held | Refused> {
  const { id } = request;
  const requested = await requestedOffer({ ...request, holdId: null }, context);
  if (requested.kind === 'refused') return requested;
  const { offerRequest, offer } = requested;
  const { allotment, schedule } = offer;
  // Checked before the first append: a request for more slots than are free leaves no event. The allotment decides below.
  const read = await readAllotment({ allotment }, context);
  if (read.kind === 'refused') return read;
  const free = freeSlots(read.allotment, schedule);
  if (free < guestsOf(request) && findHold(read.allotment, id) === undefined)
    return exhausted(offerRequest, offer, free, context);
  const command = commandOf(request, offer, context);
  const overShareNow = overShare(command.holder, command.size, read.allotment, schedule, command.nowMs);
  if (overShareNow !== null && findHold(read.allotment, id) === undefined) return overUnpaidShare(overShareNow);
  const exposed = { subject: id, amount: 1, endsAtMs: holdEndMs(command, read.allotment) };
  const reserved = await reserveExposure(request.keyId, 'openHolds', exposed, context);
  if (reserved.kind === 'refused') return reserved;
  const asking = { request, requested, allotment: read.allotment, command };
  const held = await ask(asking, cause, context);
  if (held.kind === 'refused' && held.refusal.code !== 'SERVICE_UNAVAILABLE') await reserved.giveBack();
  return held;
}

type Asking = {
  readonly request: IdentifiedRequest;
  readonly requested: RequestedOffer;
  /** As it was read. */
  readonly allotment: Allotment;
  readonly command: ReturnType<typeof commandOf>;
};

/** Records the request, then takes the slots. */
async function ask(
  { request, requested, allotment: state, command }: Asking,
  cause: Cause,
  context: BookingContext,
): Promise<Held | Refused> {
  const { id } = request;
  const { offerRequest, offer } = requested;
  const { allotment } = offer;
  const { clock, limits, streams } = context;
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const facts = factsOf(request, offer, state, command, cause);
  const asked = await streams.holds.handle(id, { type: 'AskHold', facts }, cause, deadlineMs, {
    known: request.fresh ? 'no-stream' : null,
  });
  if (asked.kind === 'rejected') return keyReused();
  if (asked.kind !== 'accepted') return noReply(asked);
  const recorded = asked.state.status === 'asked' ? asked.state.facts : facts;
  const { releasesSeen } = recorded;
  const reply = await streams.allotments.handle(allotment, { ...command, releasesSeen }, cause, deadlineMs);
  switch (reply.kind) {
    case 'accepted': {
      const held = holdIn(reply.state, { id, facts: recorded });
      if (held === null) throw new Error(`${id} was held, but its allotment does not have it`);
      return { ...held, replayed: reply.events.length === 0, position: reply.position };
    }
    case 'rejected':
      if (reply.rejection.code === 'ID_FORGOTTEN') {
        const ended = holdIn(reply.state, { id, facts: recorded });
        return ended === null ? endedLongAgo() : { ...ended, replayed: true, position: null };
      }
      if (reply.rejection.code === 'UNPAID_SHARE') return overUnpaidShare(reply.rejection);
      if (reply.rejection.code !== 'INVENTORY_EXHAUSTED')
        throw new Error(`${id} was rejected: ${reply.rejection.code}`);
      return exhausted(offerRequest, offer, reply.rejection.free, context);
    default:
      return noReply(reply);
  }
}

function factsOf(
  { id, keyId, fingerprint, date, numAdults, numChildren }: IdentifiedRequest,
  { activity, allotment, schedule }: Offer,
  state: Allotment,
  command: ReturnType<typeof commandOf>,
  { at }: Cause,
): HoldFacts {
  const offered = { pricing: quotePrice(state, schedule, command), expiresAtMs: holdEndMs(command, state) };
  const asked = { hold: id, keyId, fingerprint, activityId: activity.id, date, allotment, numAdults, numChildren };
  return { ...asked, offered, releasesSeen: releasesOf(state), at };
}

/** The hold was asked for by a release that stored no price with the request. */
function endedLongAgo(): Refused {
  const message = 'the hold of this Idempotency-Key ended long ago; send another Idempotency-Key to make a new hold.';
  return refused('HOLD_EXPIRED', message);
}

/** A hold ends at the last entry at the latest, since the date cannot be booked afterwards. */
function commandOf(request: IdentifiedRequest, offer: Offer, { clock, limits, exposure }: BookingContext) {
  const { day, hotelPercentOff, schedule } = offer;
  const nowMs = clock.nowMs();
  const expiresAtMs = Math.min(nowMs + limits.holdMs, day.lastEntryMs);
  const size = guestsOf(request);
  const { id: holdId, keyId } = request;
  const holder = { keyId, share: exposure.limitsOf(keyId)?.unpaidShare ?? null };
  return { type: 'HoldSlots', holdId, holder, size, expiresAtMs, hotelPercentOff, nowMs, schedule } as const;
}
