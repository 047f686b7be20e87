import { OrderedMap } from '../../collections/ordered-map.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { ClaimRef } from '../../domain/booking/facts.ts';
import type { AllotmentId, BookingId, ClaimId, KeyId } from '../../domain/ids.ts';
import type { SpendingEvent, SpendingId } from '../../domain/spending/spending.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, type Recorded, streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** A reservation for a claim that no booking has named. */
type OpenReservation = {
  readonly kind: 'reservation';
  readonly spending: SpendingId;
  readonly booking: BookingId;
  readonly claim: ClaimId;
  readonly allotment: AllotmentId;
  readonly deadlineMs: number;
  /** ClaimAbandoned is stored: no booking can name the claim. */
  readonly abandoned: boolean;
};
/** A booking that may have become cheaper on the day of `at`. */
type Cheaper = { readonly kind: 'cheaper'; readonly booking: BookingId; readonly keyId: KeyId; readonly at: string };

/** `position`: the checkpoint must stay before it. */
type Open = (OpenReservation | Cheaper) & { readonly position: Position };

/** Reservations by claim; cheaper bookings by position. */
export type SettleSpendingState = OrderedMap<string, Open>;

export type SettleSpendingCommand =
  | {
      readonly type: 'ReturnReservation';
      readonly spending: SpendingId;
      readonly booking: BookingId;
      readonly claim: ClaimId;
      readonly allotment: AllotmentId;
    }
  | {
      readonly type: 'EaseSpending';
      readonly booking: BookingId;
      readonly keyId: KeyId;
      readonly at: string;
      readonly position: Position;
    };

/**
 * Corrects the spending of limited keys from the log: returns reservations that no booking used, because a node crashed
 * or a later step was refused, and eases the amounts that cancellations, rejections and modifications no longer cost.
 * Requests do the same at once; this process manager does the rest.
 */
export const settleSpending: ProcessManager<SettleSpendingState, SpendingEvent | BookingEvent, SettleSpendingCommand> =
  {
    // Names the checkpoint stream; never renamed.
    name: 'spending-settlement',
    categories: ['spending', ...inBothModes('booking')],
    initial: new OrderedMap(),
    react(open, event) {
      switch (event.type) {
        case 'SpendingReserved':
          return open.with(event.data.claim, openReservation(event));
        case 'SpendingReleased':
          return open.without(event.data.claim);
        case 'ClaimAbandoned': {
          const item = open.get(event.data.claim);
          return item?.kind === 'reservation' ? open.with(item.claim, { ...item, abandoned: true }) : open;
        }
        case 'BookingStarted':
        case 'BookingPlacedOnRequest':
        case 'BookingConfirmed':
          return closeNamed(open, event.data.claims);
        case 'BookingModified':
          return openCheaper(closeNamed(open, event.data.claims), event);
        case 'BookingCancelled':
        case 'BookingRejected':
          return openCheaper(open, event);
        default:
          return open;
      }
    },
    due(open, nowMs, { limit, busy }) {
      return [...open.values()]
        .filter((item) => item.kind === 'cheaper' || item.abandoned || nowMs >= item.deadlineMs)
        .sort((left, right) => (left.position < right.position ? -1 : 1))
        .map(commandOf)
        .filter((command) => !busy(settleSpendingKey(command)))
        .slice(0, limit);
    },
    done: (open, command) => open.without(settleSpendingKey(command)),
    oldestOpen: (open) => oldestPosition(open.values()),
  };

/** Commands with the same key do not run at the same time. */
export function settleSpendingKey(command: SettleSpendingCommand): string {
  return command.type === 'ReturnReservation' ? command.claim : command.position;
}

function openReservation(event: Recorded<Extract<SpendingEvent, { type: 'SpendingReserved' }>>): Open {
  const { booking, claim, allotment, deadlineMs } = event.data;
  const spending = streamId(event.stream) as SpendingId;
  const { position } = event;
  return { kind: 'reservation', spending, booking, claim, allotment, deadlineMs, abandoned: false, position };
}

function closeNamed(open: SettleSpendingState, claims: readonly ClaimRef[]): SettleSpendingState {
  return claims.reduce((rest, { id }) => rest.without(id), open);
}

function openCheaper(
  open: SettleSpendingState,
  event: Recorded<Extract<BookingEvent, { type: 'BookingModified' | 'BookingCancelled' | 'BookingRejected' }>>,
): SettleSpendingState {
  const { position, data } = event;
  const booking = streamId(event.stream) as BookingId;
  return open.with(position, { kind: 'cheaper', booking, keyId: data.keyId, at: data.at, position });
}

function commandOf(item: Open): SettleSpendingCommand {
  switch (item.kind) {
    case 'reservation': {
      const { spending, booking, claim, allotment } = item;
      return { type: 'ReturnReservation', spending, booking, claim, allotment };
    }
    case 'cheaper': {
      const { booking, keyId, at, position } = item;
      return { type: 'EaseSpending', booking, keyId, at, position };
    }
    default:
      return unreachable(item);
  }
}
