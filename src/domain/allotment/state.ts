import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { BookingId, ClaimId, HoldId } from '../ids.ts';
import type { AllotmentCommand, PriceAsked } from './commands.ts';
import type { Opening } from './events.ts';
import { newerSchedule, presentPrice, type Scheduled, standing, type Terms } from './terms.ts';

export type Claim = {
  readonly booking: BookingId;
  readonly size: number;
  readonly released: boolean;
  readonly pricing: Pricing | null;
  /** Version of the booking at the newest shrink; 0 for none. */
  readonly shrunkAtVersion: number;
};

export type Hold = {
  readonly size: number;
  readonly expiresAtMs: number;
  readonly pricing: Pricing;
  readonly status: 'open' | 'released' | 'taken';
  /** The first claim that used it; null if unused. */
  readonly takenBy: { readonly claim: ClaimId; readonly booking: BookingId } | null;
};

export type Allotment =
  | { readonly status: 'unopened' }
  | (Terms & {
      readonly status: 'open';
      readonly schedule: Opening;
      /** Sum of the sizes of all claims and holds that are not released. */
      readonly taken: number;
      /** The part of `taken` that belongs to unused holds. */
      readonly held: number;
      /** All claims, including released ones: an id is never claimed twice. */
      readonly claims: OrderedMap<string, Claim>;
      /** All holds, including used and released ones. */
      readonly holds: OrderedMap<string, Hold>;
    });

export type OpenAllotment = Extract<Allotment, { status: 'open' }>;

export const HOLD_STATUSES = ['open', 'used', 'released', 'expired'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/**
 * The status of a hold at an instant (ms since the epoch). From its end on, an unused hold is expired, whether or not
 * its slots were released before.
 */
export function holdStatus({ status, expiresAtMs }: Hold, nowMs: number): HoldStatus {
  if (status === 'taken') return 'used';
  return nowMs >= expiresAtMs ? 'expired' : status;
}

export function holdIn(allotment: Allotment, id: HoldId): Hold | undefined {
  return allotment.status === 'open' ? allotment.holds.get(id) : undefined;
}

/** Free slots under the current schedule; never below 0. */
export function freeSlots(allotment: Allotment, present: Scheduled): number {
  if (allotment.status === 'unopened') return present.capacity;
  return Math.max(0, standing(allotment, present).capacity - allotment.taken);
}

/** Price per guest of an existing claim, as decided when its slots were taken. */
export function pricingOfClaim(
  allotment: OpenAllotment,
  command: Extract<AllotmentCommand, { type: 'ClaimSlots' | 'TakeHold' }>,
): Pricing {
  const before = allotment.claims.get(command.claim)?.pricing ?? null;
  if (before !== null) return before;
  if (command.type === 'ClaimSlots') return presentPricing(allotment, command.opening, command);
  const held = allotment.holds.get(command.hold);
  if (held === undefined) throw new Error(`the allotment has no hold ${command.hold}`);
  return held.pricing;
}

/** Price per guest for new slots, under the current schedule. */
export function presentPricing(
  allotment: Allotment,
  opening: Opening,
  { hotelPercentOff, nowMs }: PriceAsked,
): Pricing {
  const { schedule, deal } = allotment.status === 'open' ? allotment : { schedule: opening, deal: null };
  const { unitPriceMinor } = allotment.status === 'open' ? standing(allotment, opening) : opening;
  return presentPrice(unitPriceMinor, deal, hotelPercentOff, schedule, nowMs);
}

/** The newer of the allotment's stored schedule and the current one. */
export function presentSchedule(allotment: Allotment, opening: Opening): Opening {
  return allotment.status === 'open' ? newerSchedule(allotment.schedule, opening) : opening;
}
