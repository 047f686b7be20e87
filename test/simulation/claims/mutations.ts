import type { Allotment, AllotmentCommand, Claim, ClaimId } from '../../../src/domain/allotment/allotment.ts';
import type { BookingId } from '../../../src/domain/booking/booking.ts';
import { accept } from '../../../src/eventsourcing/decider.ts';
import { type Reaper, RULES, type Rules } from './rules.ts';
import type { Deciders } from './stream.ts';
import { DEADLINE_MS } from './wish.ts';

type Release = Extract<AllotmentCommand, { type: 'ReleaseSlots' }>;
const { deciders, reaper } = RULES;
const { allotment, booking } = deciders;

// The fence.

/** The reaper gives slots back as soon as the claim is due, as if the abandonment were stored already. */
export const RELEASES_UNFENCED = withReaper({
  react(open, event) {
    const after = reaper.react(open, event);
    if (event.type !== 'SlotsClaimed') return after;
    const { claim } = event.data;
    const abandoned = { type: 'ClaimAbandoned', data: { claim, allotment: allotmentOf(event.stream) } } as const;
    return reaper.react(after, { ...event, ...abandoned });
  },
  due: (open, nowMs, limit) => (nowMs < DEADLINE_MS ? [] : reaper.due(open, nowMs, limit)),
});
