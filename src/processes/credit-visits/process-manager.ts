import { type SeenVisit, seenVisit } from '../../application/learning/credit-visit.ts';
import { OrderedMap } from '../../collections/ordered-map.ts';
import type { BookingEvent, VisitFacts } from '../../domain/booking/events.ts';
import type { BookingId } from '../../domain/ids.ts';
import type { ExclusionId, LearningEvent } from '../../domain/learning/exclusions.ts';
import { type Position, type Recorded, streamId } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';

/** About 1 KB each; the first start would otherwise keep every visit of the log. One batch of events may be added. */
const MAX_OPEN = 10_000;

export type CreditVisitsCommand =
  | { readonly type: 'CreditVisit' | 'WithdrawVisit'; readonly visit: SeenVisit; readonly position: Position }
  | { readonly type: 'ApplyExclusion'; readonly exclusion: ExclusionId; readonly position: Position };

/** Commands that are not done, in log order. */
export type CreditVisitsState = OrderedMap<Position, CreditVisitsCommand>;

/**
 * Turns verified, voided and excluded visits of live bookings into evidence. Visits of one answer, or of one booking without
 * an answer, are handled in log order. An exclusion waits for everything before it, and everything after it waits for the
 * exclusion: what it withdraws is complete, and nothing else changes meanwhile.
 *
 * No event closes a command: a restart repeats those since the checkpoint, and the deciders recognise them.
 */
export const creditVisits: ProcessManager<CreditVisitsState, BookingEvent | LearningEvent, CreditVisitsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'visit-crediting',
  categories: ['booking', 'learning'],
  initial: new OrderedMap(),
  react(open, event) {
    switch (event.type) {
      case 'VisitVerified':
        return ofVisit(open, 'CreditVisit', event.data, event);
      case 'VisitVoided':
        return ofVisit(open, 'WithdrawVisit', event.data.visit, event);
      case 'LearningExcluded': {
        const { position, data } = event;
        return open.with(position, { type: 'ApplyExclusion', exclusion: data.exclusion, position });
      }
      default:
        return open;
    }
  },
  due(open, _nowMs, { limit, busy }) {
    const commands: CreditVisitsCommand[] = [];
    const earlier = new Set<string>();
    for (const command of open.values()) {
      if (commands.length >= limit) break;
      const free = !busy(creditVisitsKey(command));
      if (command.type === 'ApplyExclusion') {
        if (earlier.size === 0 && free) commands.push(command);
        break;
      }
      const group = command.visit.logId ?? command.visit.bookingId;
      if (free && !earlier.has(group)) commands.push(command);
      earlier.add(group);
    }
    return commands;
  },
  done: (open, { position }) => open.without(position),
  drop: (open, key) => open.without(Number(key) as Position),
  openBound: { max: MAX_OPEN, count: ({ size }) => size },
  oldestOpen: (open) => open.first?.position ?? null,
};

/** Commands with the same key do not run at the same time. */
export function creditVisitsKey({ position }: CreditVisitsCommand): string {
  return String(position);
}

function ofVisit(
  open: CreditVisitsState,
  type: 'CreditVisit' | 'WithdrawVisit',
  facts: VisitFacts,
  { stream, position }: Recorded,
): CreditVisitsState {
  const visit = seenVisit(streamId(stream) as BookingId, facts);
  return open.with(position, { type, visit, position });
}
