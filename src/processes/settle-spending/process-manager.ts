import { PriorityQueue } from '../../collections/priority-queue.ts';
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

/**
 * Reservations by claim, cheaper bookings by position, in the order in which they fall due. `due` reads no more than it
 * returns: the first start folds the changes of all bookings ever made.
 */
export type SettleSpendingState = PriorityQueue<Open>;

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
    initial: new PriorityQueue(),
    react(open, event) {
      switch (event.type) {
        case 'SpendingReserved':
          return enqueue(open, openReservation(event));
        case 'SpendingReleased':
          return open.without(event.data.claim);
        case 'ClaimAbandoned': {
          const item = open.get(event.data.claim);
          return item?.kind === 'reservation' ? enqueue(open, { ...item, abandoned: true }) : open;
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
      const commands: SettleSpendingCommand[] = [];
      for (const item of open.values()) {
        if (dueMsOf(item) > nowMs || commands.length >= limit) break;
        const command = commandOf(item);
        if (!busy(settleSpendingKey(command))) commands.push(command);
      }
      return commands;
    },
    done: (open, command) => open.without(settleSpendingKey(command)),
    oldestOpen: (open) => oldestPosition(open.values()),
  };

/** Commands with the same key do not run at the same time. */
export function settleSpendingKey(command: SettleSpendingCommand): string {
  return command.type === 'ReturnReservation' ? command.claim : String(command.position);
}

/** In the order of the due times; items of one due time stay in the order in which they were opened or abandoned. */
function enqueue(open: SettleSpendingState, item: Open): SettleSpendingState {
  const key = item.kind === 'reservation' ? item.claim : String(item.position);
  return open.with(key, dueMsOf(item), item);
}

/** Ms since the epoch. */
function dueMsOf(item: Open): number {
  return item.kind === 'cheaper' || item.abandoned ? 0 : item.deadlineMs;
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
  return enqueue(open, { kind: 'cheaper', booking, keyId: data.keyId, at: data.at, position });
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
