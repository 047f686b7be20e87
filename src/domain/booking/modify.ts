import { accept, reject } from '../../eventsourcing/decider.ts';
import { liveAllotmentOf } from '../ids.ts';
import { planClaims } from './claims.ts';
import type { BookingCommandOf, BookingDecision, Modification } from './commands.ts';
import type { BookingEvent, Changes, EventData } from './events.ts';
import { guestsOf, subjectOf } from './facts.ts';
import { modificationSettlement } from './settlement.ts';
import { type Booking, type ExistingBooking, nextPublic, unchangeable } from './state.ts';

type Command = BookingCommandOf<'Modify'>;

/** What a modification changes; empty if nothing. */
export function changesOf({ facts }: ExistingBooking, { move, numAdults, numChildren, guest }: Modification): Changes {
  return {
    ...(move === null ? {} : { date: { from: facts.date, to: move.date } }),
    ...(numAdults === facts.numAdults ? {} : { numAdults: { from: facts.numAdults, to: numAdults } }),
    ...(numChildren === facts.numChildren ? {} : { numChildren: { from: facts.numChildren, to: numChildren } }),
    ...(guest === null || guest.fields.length === 0 ? {} : { guest: guest.fields }),
  };
}

/** Records a modification whose slots are claimed already. The claims it drops are released afterwards. */
export function modify(command: Command, booking: Booking): BookingDecision {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  const known = booking.modifications.get(command.commandId);
  if (known !== undefined)
    return known.fingerprint === command.fingerprint ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const rejection = rejectionOf(command, booking);
  if (rejection !== null) return reject(rejection);
  const modification = withoutSameDateMove(command.modification, booking);
  const changes = changesOf(booking, modification);
  if (Object.keys(changes).length === 0) return accept();
  const plan = planClaims(booking, modification);
  const { taken } = command;
  // A plan on the same version takes the same slots, so a different claim belongs to another modification.
  const from = taken === null ? undefined : liveAllotmentOf(taken.claim.allotment);
  if (taken?.claim.size !== plan.take?.size || from !== plan.take?.allotment)
    return reject({ code: 'REVISION_CONFLICT', version: booking.version });
  const claims = taken === null ? plan.kept : [...plan.kept, taken.claim];
  return {
    kind: 'accepted',
    events: eventsOf(command, booking, modification, { changes, claims, dropped: plan.dropped, shrunk: plan.shrunk }),
  };
}

function rejectionOf({ modification, taken, plannedOn, ifVersions, nowMs }: Command, booking: ExistingBooking) {
  const { guest } = modification;
  const why = unchangeable(booking, nowMs) ?? (guest !== null && booking.guestErased ? 'erased' : null);
  if (why !== null) return { code: 'BOOKING_NOT_MODIFIABLE', why } as const;
  const { version, abandoned } = booking;
  if (version !== plannedOn || (ifVersions !== null && !ifVersions.includes(version)))
    return { code: 'REVISION_CONFLICT', version } as const;
  const lost = [taken?.claim.id, guest?.record].some((id) => id !== undefined && abandoned.includes(id));
  return lost ? ({ code: 'CLAIM_ABANDONED' } as const) : null;
}

type Outcome = Pick<EventData<'BookingModified'>, 'changes' | 'claims' | 'dropped' | 'shrunk'>;

/** The modification, its charge or refund, and the voucher with its new validity and its old code. */
function eventsOf(
  { commandId, fingerprint, by, at, nowMs, taken }: Command,
  booking: ExistingBooking,
  modification: Modification,
  outcome: Outcome,
): BookingEvent[] {
  const { facts, voucher, version } = booking;
  const { move, guest, numAdults, numChildren } = modification;
  const price = taken?.pricing ?? null;
  const { pricing, chargeMinor, refundMinor } = modificationSettlement(booking, modification, price, nowMs);
  const hours = move?.hours ?? booking.hours;
  const data: EventData<'BookingModified'> = {
    ...subjectOf(facts),
    command: commandId,
    fingerprint,
    by,
    ...outcome,
    date: move?.date ?? facts.date,
    numAdults,
    numChildren,
    numGuests: guestsOf(modification),
    hours,
    pricing,
    cancellation: move?.cancellation ?? facts.cancellation,
    guest: guest === null ? null : { record: guest.record, fingerprint: guest.fingerprint },
    version: version + 1,
    answerByMs: booking.status === 'pending' ? answerBy(booking.answerByMs, move) : null,
    at,
    ...nextPublic(booking),
  };
  const amount = (amountMinor: number) => ({ keyId: facts.keyId, amountMinor, currency: pricing.currency });
  const events: BookingEvent[] = [{ type: 'BookingModified', data }];
  if (chargeMinor > 0) events.push({ type: 'ChargeRecorded', data: amount(chargeMinor) });
  if (refundMinor > 0) events.push({ type: 'RefundRecorded', data: amount(refundMinor) });
  if (voucher !== null && hours !== null) {
    const validity = { validFromMs: hours.beginsAtMs, validUntilMs: hours.closesAtMs };
    events.push({ type: 'VoucherIssued', data: { code: voucher.code, ...validity } });
  }
  return events;
}

/** A move to an earlier date can shorten the venue's time to answer; a later date does not extend it. */
function answerBy(answerByMs: number, move: Modification['move']): number {
  return move === null ? answerByMs : Math.min(answerByMs, move.lastEntryMs);
}

/** Ignores a move to the current date, so that the price stays. */
function withoutSameDateMove(modification: Modification, { facts }: ExistingBooking): Modification {
  return modification.move?.date === facts.date ? { ...modification, move: null } : modification;
}
