import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { amounts, type Pricing } from '../activity/pricing.ts';
import type { UnpaidTaker } from '../exposure/exposure.ts';
import { cancelDate, finishCancellation, settleBooking } from './cancel-date.ts';
import type { AllotmentCommand, AllotmentRejection, PriceGuard, ReleasesSeen } from './commands.ts';
import { reviewDeal, setTerms } from './decide-terms.ts';
import type { AllotmentEvent, DateSchedule } from './events.ts';
import { evolve, openAllotment } from './evolve.ts';
import {
  type Allotment,
  claimPricing,
  closingOf,
  findClaim,
  findHold,
  freeSlots,
  getOrThrow,
  KEPT_RELEASES,
  mayBeForgotten,
  type OpenAllotment,
  quotePrice,
  releasesOf,
  runningCancellation,
} from './state.ts';
import { evolveTerms } from './terms.ts';
import { holdEndMs, overShare } from './unpaid.ts';

type Decided = Decision<AllotmentEvent, AllotmentRejection>;
type Command<Type extends AllotmentCommand['type']> = Extract<AllotmentCommand, { type: Type }>;

/** The only place that decides whether enough slots are free. Time never frees slots; only a release does, once per claim. */
export const allotmentDecider = allotmentDeciderKeeping(KEPT_RELEASES);

/** @param keptReleases number of releases whose ids it keeps */
export function allotmentDeciderKeeping(
  keptReleases: number,
): Decider<AllotmentCommand, Allotment, AllotmentEvent, AllotmentRejection> {
  return {
    initial: { status: 'unopened' },
    decide(command, allotment) {
      switch (command.type) {
        case 'ClaimSlots':
          return claimSlots(command, allotment);
        case 'HoldSlots':
          return holdSlots(command, allotment);
        case 'TakeHold':
          return takeHold(command, allotment);
        case 'ReleaseHold':
          return releaseHold(command, allotment);
        case 'ShrinkClaim':
          return shrinkClaim(command, allotment);
        case 'ReleaseSlots':
          return releaseSlots(command, allotment);
        case 'RecordPaid':
          return recordPaid(command, allotment);
        case 'SetTerms':
          return onCurrentSchedule(allotment, command.schedule, (open) => setTerms(command, open, closingOf(open)));
        case 'ReviewDeal':
          return onCurrentSchedule(allotment, command.schedule, (open) => accept(...reviewDeal(command, open)));
        case 'CancelDate':
          return onCurrentSchedule(allotment, command.schedule, (open) => cancelDate(command, open));
        case 'SettleBooking':
          return settleBooking(command, allotment);
        case 'FinishCancellation':
          return finishCancellation(command, allotment);
        default:
          return unreachable(command);
      }
    },
    evolve: (allotment, event) => evolve(allotment, event, keptReleases),
  };
}

function claimSlots(command: Command<'ClaimSlots'>, allotment: Allotment): Decided {
  const { claimId, bookingId, size, deadlineMs, schedule, unpaid, nowMs } = command;
  if (allotment.status === 'open' && findClaim(allotment, claimId) !== undefined) return adopt(command, allotment);
  return (
    rejectForgotten(command, allotment) ??
    onCurrentSchedule(allotment, schedule, (open) => {
      const pricing = quotePrice(open, schedule, command);
      const unpaidBy = unpaid?.keyId ?? null;
      const data = { claim: claimId, booking: bookingId, size, deadlineMs, pricing, unpaidBy };
      const claimed = takeSlots(open, { type: 'SlotsClaimed', data });
      return atExpectedTotal(command, pricing, withinShare(claimed, unpaid, size, open, nowMs));
    })
  );
}

function holdSlots(command: Command<'HoldSlots'>, allotment: Allotment): Decided {
  const { holdId, size, schedule, holder, nowMs } = command;
  if (findHold(allotment, holdId) !== undefined) return accept();
  return (
    rejectForgotten(command, allotment) ??
    onCurrentSchedule(allotment, schedule, (open) => {
      const pricing = quotePrice(open, schedule, command);
      const expiresAtMs = holdEndMs(command, open);
      const data = { hold: holdId, size, expiresAtMs, pricing, holder: { keyId: holder.keyId, atMs: nowMs } };
      return withinShare(takeSlots(open, { type: 'SlotsHeld', data }), holder, size, open, nowMs);
    })
  );
}

/**
 * If an earlier claim of the same booking took the hold, that claim may have been abandoned: then new slots are claimed
 * at the hold's price, if enough are free. The clock decides only whether an open hold has expired.
 */
function takeHold(command: Command<'TakeHold'>, allotment: Allotment): Decided {
  const { holdId, claimId, bookingId, size, deadlineMs, nowMs, unpaid } = command;
  const hold = findHold(allotment, holdId);
  if (allotment.status === 'unopened') return reject({ code: 'HOLD_UNKNOWN' });
  if (findClaim(allotment, claimId) !== undefined) return adopt(command, allotment);
  if (hold?.size !== size) return reject({ code: 'HOLD_UNKNOWN' });
  const forgotten = rejectForgotten(command, allotment);
  if (forgotten !== null) return forgotten;
  const { status, expiresAtMs, pricing } = hold;
  const data = { claim: claimId, booking: bookingId, size, deadlineMs, unpaidBy: unpaid?.keyId ?? null };
  switch (status) {
    case 'open':
      if (runningCancellation(allotment) !== null) return reject({ code: 'INVENTORY_EXHAUSTED', free: 0 });
      return nowMs < expiresAtMs
        ? atExpectedTotal(command, pricing, accept({ type: 'HoldTaken', data: { hold: holdId, ...data } }))
        : reject({ code: 'HOLD_EXPIRED', expiresAtMs });
    case 'released':
      return reject({ code: 'HOLD_EXPIRED', expiresAtMs });
    case 'taken': {
      if (hold.takenBy?.booking !== bookingId) return reject({ code: 'HOLD_USED' });
      const claimed = takeSlots(allotment, { type: 'SlotsClaimed', data: { ...data, pricing } });
      return atExpectedTotal(command, pricing, withinShare(claimed, unpaid, size, allotment, nowMs));
    }
    default:
      return unreachable(status);
  }
}

/** The stored field is named `claim`, also for a hold. */
function releaseHold({ holdId }: Command<'ReleaseHold'>, allotment: Allotment): Decided {
  const hold = findHold(allotment, holdId);
  if (hold === undefined) return reject({ code: 'HOLD_UNKNOWN' });
  if (hold.status === 'taken') return reject({ code: 'HOLD_USED' });
  return hold.status === 'released'
    ? accept()
    : accept({ type: 'SlotsReleased', data: { claim: holdId, size: hold.size } });
}

/** Ignores a shrink that is not newer than the last one: it would free slots that the booking uses. */
function shrinkClaim({ claimId, left, version }: Command<'ShrinkClaim'>, allotment: Allotment): Decided {
  const claim = findClaim(allotment, claimId);
  if (claim === undefined || claim.released || version <= claim.shrunkAtVersion || left >= claim.size) return accept();
  return accept({ type: 'ClaimShrunk', data: { claim: claimId, left, size: claim.size - left, version } });
}

function releaseSlots({ claimId }: Command<'ReleaseSlots'>, allotment: Allotment): Decided {
  const claim = findClaim(allotment, claimId);
  if (claim === undefined || claim.released) return accept();
  return accept({ type: 'SlotsReleased', data: { claim: claimId, size: claim.size } });
}

function recordPaid({ claimId }: Command<'RecordPaid'>, allotment: Allotment): Decided {
  const claim = findClaim(allotment, claimId);
  if (claim === undefined || claim.released || claim.unpaidBy === null) return accept();
  return accept({ type: 'ClaimPaid', data: { claim: claimId } });
}

/** Null if the unknown id of the command was never released. */
function rejectForgotten({ releasesSeen }: ReleasesSeen, allotment: Allotment): Decided | null {
  if (!mayBeForgotten(allotment, releasesSeen)) return null;
  return reject({ code: 'ID_FORGOTTEN', releases: releasesOf(allotment) });
}

/** Decides on the allotment with the newer of its stored schedule and the current one; opens it if needed. */
function onCurrentSchedule(
  allotment: Allotment,
  schedule: DateSchedule,
  decide: (open: OpenAllotment) => Decided,
): Decided {
  if (allotment.status === 'unopened')
    return prepend({ type: 'AllotmentOpened', data: schedule }, decide(openAllotment(schedule)));
  const { capacity, unitPriceMinor, cancellation, catalogueRevision } = schedule;
  if (catalogueRevision <= allotment.schedule.catalogueRevision) return decide(allotment);
  const data = { capacity, unitPriceMinor, cancellation, catalogueRevision };
  const followed = { type: 'ScheduleFollowed', data } as const;
  return prepend(followed, decide(evolveTerms(allotment, followed)));
}

/** Stores the first event only together with a change. */
function prepend(first: AllotmentEvent, change: Decided): Decided {
  return change.kind === 'rejected' || change.events.length === 0 ? change : accept(first, ...change.events);
}

/** Accepts the event if its slots are free. */
function takeSlots(
  allotment: OpenAllotment,
  event: Extract<AllotmentEvent, { type: 'SlotsClaimed' | 'SlotsHeld' }>,
): Decided {
  const free = freeSlots(allotment, allotment.schedule);
  return event.data.size <= free ? accept(event) : reject({ code: 'INVENTORY_EXHAUSTED', free });
}

/** Rejects accepted slots that would exceed the key's share of the date. */
function withinShare(
  taken: Decided,
  taker: UnpaidTaker | null,
  size: number,
  allotment: OpenAllotment,
  nowMs: number,
): Decided {
  if (taken.kind === 'rejected' || taker === null) return taken;
  const rejection = overShare(taker, size, allotment, allotment.schedule, nowMs);
  return rejection === null ? taken : reject(rejection);
}

/**
 * A repeated command adopts its claim, unless the claim was released or has another size. The claim keeps the price at
 * which it was made, so a repetition that expects another total is rejected. On a date that is being cancelled no booking
 * is made of an earlier claim.
 */
function adopt(command: Command<'ClaimSlots' | 'TakeHold'>, allotment: OpenAllotment): Decided {
  const { released, size } = getOrThrow(allotment.claims, command.claimId);
  if (released || size !== command.size) return reject({ code: 'CLAIM_SPENT' });
  if (runningCancellation(allotment) !== null) return reject({ code: 'INVENTORY_EXHAUSTED', free: 0 });
  return atExpectedTotal(command, claimPricing(allotment, command), accept());
}

/** Rejects an accepted claim if its total is not the expected one. */
function atExpectedTotal(
  { expectedTotalMinor, size }: PriceGuard & { readonly size: number },
  pricing: Pricing,
  claim: Decided,
): Decided {
  const { totalMinor } = amounts(pricing, size);
  const expected = expectedTotalMinor === null || expectedTotalMinor === totalMinor;
  return expected || claim.kind === 'rejected' ? claim : reject({ code: 'PRICE_CHANGED', totalMinor });
}
