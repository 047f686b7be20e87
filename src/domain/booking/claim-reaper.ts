import type { Position, Recorded } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import type { AllotmentEvent, AllotmentId, BookingId, ClaimId } from '../allotment/allotment.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { BookingEvent } from './booking.ts';

type OpenClaim = {
  readonly claim: ClaimId;
  readonly allotment: AllotmentId;
  readonly booking: BookingId;
  readonly deadlineMs: number;
  /** Where the claim stands in the log: the reaper must be able to read from here again. */
  readonly position: Position;
  readonly abandoned: boolean;
  readonly released: boolean;
  readonly erased: boolean;
};

export type ReaperState = PersistentMap<OpenClaim>;

export type ReaperCommand =
  /** To the booking, first: the fence. */
  | {
      readonly type: 'AbandonClaim';
      readonly booking: BookingId;
      readonly claim: ClaimId;
      readonly allotment: AllotmentId;
    }
  /** To the allotment, only after the abandonment was stored. */
  | { readonly type: 'ReleaseSlots'; readonly allotment: AllotmentId; readonly claim: ClaimId }
  /** The guest record of an attempt that came to nothing; erased even where none was seen, so that none can come late. */
  | { readonly type: 'EraseGuest'; readonly claim: ClaimId };

/**
 * Looks after claims whose booking never came to name them: a node died, or was paused, between two steps. Past the
 * deadline the booking's stream is told that the claim is abandoned, and only then are the slots given back.
 */
export const claimReaper: ProcessManager<ReaperState, AllotmentEvent | BookingEvent, ReaperCommand> = {
  name: 'claim-reaper',
  categories: ['allotment', 'booking'],
  initial: new PersistentMap(),
  react(open, event) {
    switch (event.type) {
      case 'SlotsClaimed':
        return open.with(event.data.claim, opened(event));
      case 'BookingConfirmed':
        return event.data.claims.reduce((rest, claim) => rest.without(claim.id), open);
      case 'ClaimAbandoned':
        return mark(open, event.data.claim, { abandoned: true });
      case 'SlotsReleased':
        return mark(open, event.data.claim, { released: true });
      default:
        return open;
    }
  },
  due(open, nowMs, { limit, busy }) {
    const owing = [...open.entries()]
      .map(([, item]) => item)
      .filter((item) => item.abandoned || nowMs >= item.deadlineMs)
      .sort((left, right) => (left.position < right.position ? -1 : 1));
    const commands = owing.flatMap(owed).filter((command) => !busy(claimReaperKey(command)));
    return commands.slice(0, limit);
  },
  done: (open, command) => (command.type === 'EraseGuest' ? mark(open, command.claim, { erased: true }) : open),
  oldestOpen(open) {
    let oldest: Position | null = null;
    for (const [, { position }] of open.entries()) if (oldest === null || position < oldest) oldest = position;
    return oldest;
  },
};

/** Of the same name only one is under way. */
export function claimReaperKey({ type, claim }: ReaperCommand): string {
  return `${type} ${claim}`;
}

function opened(event: Recorded<Extract<AllotmentEvent, { type: 'SlotsClaimed' }>>): OpenClaim {
  const { claim, booking, deadlineMs } = event.data;
  const allotment = event.stream.slice('allotment-'.length) as AllotmentId;
  const { position } = event;
  return { claim, allotment, booking, deadlineMs, position, abandoned: false, released: false, erased: false };
}

function owed({ claim, allotment, booking, abandoned, released, erased }: OpenClaim): ReaperCommand[] {
  if (!abandoned) return [{ type: 'AbandonClaim', booking, claim, allotment }];
  return [
    ...(released ? [] : [{ type: 'ReleaseSlots', allotment, claim } as const]),
    ...(erased ? [] : [{ type: 'EraseGuest', claim } as const]),
  ];
}

function mark(open: ReaperState, claim: ClaimId, facts: Partial<OpenClaim>): ReaperState {
  const item = open.get(claim);
  if (item === undefined) return open;
  const marked = { ...item, ...facts };
  return marked.released && marked.erased ? open.without(claim) : open.with(claim, marked);
}
