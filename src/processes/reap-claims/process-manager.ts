import { OrderedMap } from '../../collections/ordered-map.ts';
import type { AllotmentEvent } from '../../domain/allotment/events.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { ClaimRef } from '../../domain/booking/facts.ts';
import type { AllotmentId, BookingId, ClaimId, HoldId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, type Recorded, streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

type OpenClaim = {
  readonly kind: 'claim';
  readonly claimId: ClaimId;
  readonly allotmentId: AllotmentId;
  readonly bookingId: BookingId;
  readonly deadlineMs: number;
  /** ClaimAbandoned is stored: the booking can never name the claim. */
  readonly abandoned: boolean;
  readonly released: boolean;
  readonly erased: boolean;
};
type OpenHold = {
  readonly kind: 'hold';
  readonly holdId: HoldId;
  readonly allotmentId: AllotmentId;
  readonly expiresAtMs: number;
};
/** Claims that a booking's event dropped as a whole, or shrank. */
type Dropped = { readonly kind: 'dropped'; readonly claimId: ClaimId; readonly allotmentId: AllotmentId };
type Shrunk = {
  readonly kind: 'shrunk';
  readonly claimId: ClaimId;
  readonly allotmentId: AllotmentId;
  readonly left: number;
  readonly version: number;
};
/** A claim of a booking that the venue confirmed. */
type Paid = { readonly kind: 'paid'; readonly claimId: ClaimId; readonly allotmentId: AllotmentId };
type ErasedGuest = { readonly kind: 'erased-guest'; readonly claimId: ClaimId };

/** `position`: the checkpoint must stay before it. */
type Open = (OpenClaim | OpenHold | Dropped | Shrunk | Paid | ErasedGuest) & { readonly position: Position };

/** Open items, by claim or hold; erasures of guests by `erasureOf`. */
export type ReapClaimsState = OrderedMap<string, Open>;

export type ReapClaimsCommand =
  /** Sent to the booking before ReleaseSlots: from then on a late workflow cannot name the claim. */
  | {
      readonly type: 'AbandonClaim';
      readonly bookingId: BookingId;
      readonly claimId: ClaimId;
      readonly allotmentId: AllotmentId;
    }
  /** To the allotment, only after the booking dropped the claim or can never name it. */
  | { readonly type: 'ReleaseSlots'; readonly allotmentId: AllotmentId; readonly claimId: ClaimId }
  | {
      readonly type: 'ShrinkClaim';
      readonly allotmentId: AllotmentId;
      readonly claimId: ClaimId;
      readonly left: number;
      readonly version: number;
    }
  /** The venue confirmed the booking, so that the claim no longer counts as unpaid. */
  | { readonly type: 'RecordPaid'; readonly allotmentId: AllotmentId; readonly claimId: ClaimId }
  | { readonly type: 'ReleaseHold'; readonly allotmentId: AllotmentId; readonly holdId: HoldId }
  /**
   * Erases a guest stream: of an abandoned claim, or of an erased guest. Also sent if no record was seen, so that none
   * can be appended later.
   */
  | { readonly type: 'EraseGuest'; readonly claimId: ClaimId };

/**
 * Releases slots that are no longer needed: of expired holds; of claims that a modified, cancelled or rejected booking
 * dropped; and of claims that no booking named by their deadline, because a node crashed or paused between two steps.
 * For the last kind it first stores ClaimAbandoned in the booking's stream. It also erases guest streams.
 */
export const reapClaims: ProcessManager<ReapClaimsState, AllotmentEvent | BookingEvent, ReapClaimsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'claim-reaper',
  categories: [...inBothModes('allotment'), ...inBothModes('booking')],
  initial: new OrderedMap(),
  react(open, event) {
    switch (event.type) {
      case 'SlotsClaimed':
        return open.with(event.data.claim, openClaim(event));
      case 'SlotsHeld': {
        const { hold, expiresAtMs } = event.data;
        return open.with(hold, {
          kind: 'hold',
          holdId: hold,
          allotmentId: streamId(event.stream) as AllotmentId,
          expiresAtMs,
          position: event.position,
        });
      }
      case 'HoldTaken':
        return open.without(event.data.hold).with(event.data.claim, openClaim(event));
      case 'BookingStarted':
      case 'BookingPlacedOnRequest':
        return closeNamed(open, event.data.claims);
      case 'BookingConfirmed':
        return openPaid(closeNamed(open, event.data.claims), event);
      case 'BookingModified':
        return applyModification(open, event);
      case 'BookingCancelled':
      case 'BookingRejected':
        return openDropped(open, event.data.dropped, event.position);
      case 'GuestErased':
        return event.data.records.reduce((after, claim) => {
          return after.with(erasureOf(claim), { kind: 'erased-guest', claimId: claim, position: event.position });
        }, open);
      case 'ClaimAbandoned':
        return mark(open, event.data.claim, { abandoned: true });
      case 'ClaimShrunk':
        return closeShrunk(open, event.data);
      case 'ClaimPaid':
        return open.without(paymentOf(event.data.claim));
      case 'SlotsReleased':
        return applyRelease(open, event.data.claim);
      default:
        return open;
    }
  },
  due(open, nowMs, { limit, busy }) {
    const dueItems = [...open.values()]
      .filter((item) => isDue(item, nowMs))
      .sort((left, right) => (left.position < right.position ? -1 : 1));
    const commands = dueItems.flatMap(commandsOf).filter((command) => !busy(reapClaimsKey(command)));
    return commands.slice(0, limit);
  },
  done(open, command) {
    switch (command.type) {
      case 'EraseGuest':
        return mark(open.without(erasureOf(command.claimId)), command.claimId, { erased: true });
      case 'AbandonClaim':
        // The claim was abandoned before it was made, so ClaimAbandoned precedes SlotsClaimed in the log.
        return mark(open, command.claimId, { abandoned: true });
      case 'RecordPaid':
        return open.without(paymentOf(command.claimId));
      default:
        return open;
    }
  },
  drop(open, key) {
    const [type, id = ''] = key.split(' ');
    // Slots and guest of an abandoned claim are two commands: the other one stays.
    if (type === 'EraseGuest') return mark(open.without(erasureOf(id as ClaimId)), id as ClaimId, { erased: true });
    if (type === 'RecordPaid') return open.without(paymentOf(id as ClaimId));
    const released = open.get(id)?.kind === 'claim' && type === 'ReleaseSlots';
    return released ? mark(open, id as ClaimId, { released: true }) : open.without(id);
  },
  oldestOpen: (open) => oldestPosition(open.values()),
};

/** Commands with the same key do not run at the same time. */
export function reapClaimsKey(command: ReapClaimsCommand): string {
  return `${command.type} ${command.type === 'ReleaseHold' ? command.holdId : command.claimId}`;
}

function openClaim(event: Recorded<Extract<AllotmentEvent, { type: 'SlotsClaimed' | 'HoldTaken' }>>): Open {
  const { claim, booking, deadlineMs } = event.data;
  const { position } = event;
  return {
    kind: 'claim',
    claimId: claim,
    allotmentId: streamId(event.stream) as AllotmentId,
    bookingId: booking,
    deadlineMs,
    position,
    abandoned: false,
    released: false,
    erased: false,
  };
}

/** Closes the claims that the booking now names, and opens the dropped and shrunk ones. */
function applyModification(
  open: ReapClaimsState,
  { data, position }: Recorded<Extract<BookingEvent, { type: 'BookingModified' }>>,
) {
  const { claims, dropped, shrunk, guest, version } = data;
  const named = closeNamed(open, claims);
  const kept = guest === null ? named : openRecorded(named, guest.record);
  return shrunk.reduce(
    (after, { id: claim, allotment, size: left }) =>
      after.with(claim, { kind: 'shrunk', claimId: claim, allotmentId: allotment, left, version, position }),
    openDropped(kept, dropped, position),
  );
}

/** A claim that only carried the guest's record has no slots, so nobody drops it later: it is released at once. */
function openRecorded(open: ReapClaimsState, record: ClaimId): ReapClaimsState {
  const item = open.get(record);
  if (item?.kind !== 'claim') return open.without(record);
  const { allotmentId, position } = item;
  return open.with(record, { kind: 'dropped', claimId: record, allotmentId, position });
}

function closeShrunk(open: ReapClaimsState, { claim, left }: Extract<AllotmentEvent, { type: 'ClaimShrunk' }>['data']) {
  const item = open.get(claim);
  return item?.kind === 'shrunk' && left <= item.left ? open.without(claim) : open;
}

function applyRelease(open: ReapClaimsState, id: ClaimId | HoldId): ReapClaimsState {
  const unpaid = open.without(paymentOf(id));
  return unpaid.get(id)?.kind === 'claim' ? mark(unpaid, id, { released: true }) : unpaid.without(id);
}

/** Closes claims that a booking names; dropped and shrunk ones stay open. */
function closeNamed(open: ReapClaimsState, claims: readonly ClaimRef[]): ReapClaimsState {
  return claims.reduce((rest, { id }) => (rest.get(id)?.kind === 'claim' ? rest.without(id) : rest), open);
}

function openDropped(open: ReapClaimsState, claims: readonly ClaimRef[], position: Position): ReapClaimsState {
  return claims.reduce((after, { id: claim, allotment }) => {
    return after.with(claim, { kind: 'dropped', claimId: claim, allotmentId: allotment, position });
  }, open);
}

/** A booking on request: the allotment does not know that it was confirmed. */
function openPaid(
  open: ReapClaimsState,
  { data, position }: Recorded<Extract<BookingEvent, { type: 'BookingConfirmed' }>>,
): ReapClaimsState {
  if (data.follows !== 'BookingPlacedOnRequest') return open;
  return data.claims.reduce((after, { id: claim, allotment }) => {
    return after.with(paymentOf(claim), { kind: 'paid', claimId: claim, allotmentId: allotment, position });
  }, open);
}

/** A key of its own, since the claim may be dropped before its payment is recorded. */
function paymentOf(claim: ClaimId | HoldId): string {
  return `paid ${claim}`;
}

/** A key of its own, since the claim itself may be open too. */
function erasureOf(claim: ClaimId): string {
  return `guest ${claim}`;
}

function isDue(item: Open, nowMs: number): boolean {
  if (item.kind === 'claim') return item.abandoned || nowMs >= item.deadlineMs;
  return item.kind === 'hold' ? nowMs >= item.expiresAtMs : true;
}

function commandsOf(item: Open): ReapClaimsCommand[] {
  switch (item.kind) {
    case 'hold':
      return [{ type: 'ReleaseHold', allotmentId: item.allotmentId, holdId: item.holdId }];
    case 'dropped':
      return [{ type: 'ReleaseSlots', allotmentId: item.allotmentId, claimId: item.claimId }];
    case 'shrunk': {
      const { allotmentId, claimId, left, version } = item;
      return [{ type: 'ShrinkClaim', allotmentId, claimId, left, version }];
    }
    case 'paid':
      return [{ type: 'RecordPaid', allotmentId: item.allotmentId, claimId: item.claimId }];
    case 'erased-guest':
      return [{ type: 'EraseGuest', claimId: item.claimId }];
    case 'claim': {
      const { claimId, allotmentId, bookingId, abandoned, released, erased } = item;
      if (!abandoned) return [{ type: 'AbandonClaim', bookingId, claimId, allotmentId }];
      return [
        ...(released ? [] : [{ type: 'ReleaseSlots', allotmentId, claimId } as const]),
        ...(erased ? [] : [{ type: 'EraseGuest', claimId } as const]),
      ];
    }
    default:
      return unreachable(item);
  }
}

function mark(open: ReapClaimsState, claim: ClaimId | HoldId, facts: Partial<OpenClaim>): ReapClaimsState {
  const item = open.get(claim);
  if (item?.kind !== 'claim') return open;
  const marked = { ...item, ...facts };
  return marked.released && marked.erased ? open.without(claim) : open.with(claim, marked);
}
