import { OrderedMap } from '../../collections/ordered-map.ts';
import type { AllotmentEvent } from '../../domain/allotment/events.ts';
import type { ApiKeyEvent } from '../../domain/apikey/apikey.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { ClaimRef } from '../../domain/booking/facts.ts';
import type { AllotmentId, ClaimId, HoldId, KeyId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, type Recorded, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import {
  commandsOf,
  isDue,
  type Open,
  type OpenClaim,
  type ReapClaimsCommand,
  type ReapClaimsState,
  reapClaimsKey,
} from './open-items.ts';

export { type ReapClaimsCommand, type ReapClaimsState, reapClaimsKey };

/**
 * Releases slots that are no longer needed: of holds that expired or whose key was deactivated; of claims that a modified,
 * cancelled or rejected booking dropped; and of claims that no booking named by their deadline, because a node crashed or
 * paused between two steps. For the last kind it first stores ClaimAbandoned in the booking's stream. It also records which
 * claims were paid, and erases guest streams.
 */
export const reapClaims: ProcessManager<
  ReapClaimsState,
  AllotmentEvent | BookingEvent | ApiKeyEvent,
  ReapClaimsCommand
> = {
  // Names the checkpoint stream; never renamed.
  name: 'claim-reaper',
  categories: [...inBothModes('allotment'), ...inBothModes('booking'), 'apikey'],
  initial: new OrderedMap(),
  react(open, event) {
    switch (event.type) {
      case 'SlotsClaimed':
        return open.with(event.data.claim, openClaim(event));
      case 'SlotsHeld':
        return openHold(open, event);
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
        return openErasures(open, event);
      case 'ClaimAbandoned':
        return mark(open, event.data.claim, { abandoned: true });
      case 'ClaimShrunk':
        return closeShrunk(open, event.data);
      case 'ClaimPaid':
        return open.without(paymentOf(event.data.claim));
      case 'KeyDeactivated':
        return endHolds(open, streamId(event.stream) as KeyId, event.position);
      case 'KeyActivated':
        return open.without(inactive(streamId(event.stream) as KeyId));
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
  oldestOpen: (open) => oldestPosition(work(open)),
};

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

function openHold(
  open: ReapClaimsState,
  { stream, data, position }: Recorded<Extract<AllotmentEvent, { type: 'SlotsHeld' }>>,
): ReapClaimsState {
  const { hold: holdId, holder, expiresAtMs } = data;
  const keyId = holder?.keyId ?? null;
  const ended = keyId !== null && open.get(inactive(keyId)) !== undefined;
  const allotmentId = streamId(stream) as AllotmentId;
  return open.with(holdId, {
    kind: 'hold',
    holdId,
    allotmentId,
    keyId,
    expiresAtMs: ended ? 0 : expiresAtMs,
    position,
  });
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

function endHolds(open: ReapClaimsState, keyId: KeyId, position: Position): ReapClaimsState {
  let after = open.with(inactive(keyId), { kind: 'inactive-key', keyId, position });
  for (const item of open.values()) {
    if (item.kind === 'hold' && item.keyId === keyId) after = after.with(item.holdId, { ...item, expiresAtMs: 0 });
  }
  return after;
}

function inactive(keyId: KeyId): string {
  return `inactive ${keyId}`;
}

function openErasures(
  open: ReapClaimsState,
  { stream, data, position }: Recorded<Extract<BookingEvent, { type: 'GuestErased' }>>,
): ReapClaimsState {
  const erasure = { booking: streamId(stream), position, at: data.at };
  return data.records.reduce((after, claimId) => {
    return after.with(erasureOf(claimId), { kind: 'erased-guest', claimId, erasure, position });
  }, open);
}

/** A deactivated key needs no work: the checkpoint does not wait for it. */
function* work(open: ReapClaimsState): Generator<Open> {
  for (const item of open.values()) if (item.kind !== 'inactive-key') yield item;
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

function mark(open: ReapClaimsState, claim: ClaimId | HoldId, facts: Partial<OpenClaim>): ReapClaimsState {
  const item = open.get(claim);
  if (item?.kind !== 'claim') return open;
  const marked = { ...item, ...facts };
  return marked.released && marked.erased ? open.without(claim) : open.with(claim, marked);
}
