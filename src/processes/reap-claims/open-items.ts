import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { AllotmentId, BookingId, ClaimId, HoldId, KeyId } from '../../domain/ids.ts';
import { type Position, unreachable } from '../../eventsourcing/message.ts';
import type { Erasure } from '../../ports/erasure-ledger.ts';

export type OpenClaim = {
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
  readonly keyId: KeyId | null;
  /** 0 once its key is deactivated. */
  readonly expiresAtMs: number;
};
/** A deactivated key: a request may still make a hold after that. */
type InactiveKey = { readonly kind: 'inactive-key'; readonly keyId: KeyId };
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
type ErasedGuest = { readonly kind: 'erased-guest'; readonly claimId: ClaimId; readonly erasure: Erasure };

/** `position`: the checkpoint must stay before it. */
export type Open = (OpenClaim | OpenHold | Dropped | Shrunk | Paid | ErasedGuest | InactiveKey) & {
  readonly position: Position;
};

/** Open items, by claim or hold; erasures of guests by `erasureOf`, payments by `paymentOf`, keys by `inactive`. */
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
   * can be appended later. `erasure`, of an erased guest, is recorded in the ledger first.
   */
  | { readonly type: 'EraseGuest'; readonly claimId: ClaimId; readonly erasure?: Erasure };

/** Commands with the same key do not run at the same time. */
export function reapClaimsKey(command: ReapClaimsCommand): string {
  return `${command.type} ${command.type === 'ReleaseHold' ? command.holdId : command.claimId}`;
}

/** Whether an item has work at an instant (ms since the epoch). */
export function isDue(item: Open, nowMs: number): boolean {
  if (item.kind === 'claim') return item.abandoned || nowMs >= item.deadlineMs;
  if (item.kind === 'inactive-key') return false;
  return item.kind === 'hold' ? nowMs >= item.expiresAtMs : true;
}

export function commandsOf(item: Open): ReapClaimsCommand[] {
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
    case 'inactive-key':
      return [];
    case 'erased-guest':
      return [{ type: 'EraseGuest', claimId: item.claimId, erasure: item.erasure }];
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
