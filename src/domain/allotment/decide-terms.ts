import { accept, type Decision, reject } from '../../eventsourcing/decider.ts';
import { allotmentIdOf } from '../ids.ts';
import type { AllotmentTerms } from './calendar.ts';
import type { Closing } from './cancellation.ts';
import type { AllotmentRejection, ReviewDeal, SetTerms } from './commands.ts';
import { policyDeal } from './deal-policy.ts';
import { effectiveTerms, type FlashDeal, type Terms, type TermsEvent } from './terms.ts';

type Decided = Decision<TermsEvent, AllotmentRejection>;

/**
 * Applies an operator's settings, with one event per difference. Rejects a capacity below the taken slots; the
 * schedule's own capacity may be lower, then nothing more is sold. A date whose bookings are being cancelled stays closed.
 */
export function setTerms(
  { capacity, unitPriceMinor, deal, keepsCancelled = false }: Omit<SetTerms, 'type' | 'schedule'>,
  allotment: AllotmentTerms,
  cancellation: Closing | null,
): Decided {
  const { taken, held, setCapacity, setPriceMinor } = allotment;
  const events: TermsEvent[] = [];
  if (capacity !== undefined && capacity !== setCapacity) {
    if (cancellation === 'runs') return reject({ code: 'CANCELLATION_RUNNING' });
    if (cancellation === 'finished' && keepsCancelled) return reject({ code: 'DATE_CANCELLED' });
    if (capacity !== null && capacity < taken) return reject({ code: 'CAPACITY_TAKEN', taken, held });
    events.push({ type: 'CapacitySet', data: { capacity } });
  }
  if (unitPriceMinor !== undefined && unitPriceMinor !== setPriceMinor)
    events.push({ type: 'PriceSet', data: { unitPriceMinor } });
  if (deal === null && (allotment.deal !== null || allotment.dealsBy === 'policy'))
    events.push({ type: 'FlashDealEnded', data: { because: 'operator' } });
  if (deal && !sameDeal(allotment.deal, { ...deal, by: 'operator' }))
    events.push({ type: 'FlashDealStarted', data: { ...deal, by: 'operator' } });
  return accept(...events);
}

/**
 * Applies the deal policy to a date. A running deal is only replaced by a larger discount that lasts at least as long.
 * After an operator's decision, only the end of a deal is recorded.
 */
export function reviewDeal(
  { policy, lastEntryMs, nowMs, schedule }: ReviewDeal,
  allotment: Terms & { readonly taken: number },
): TermsEvent[] {
  const { taken, deal, dealsBy } = allotment;
  const over = deal !== null && nowMs >= deal.expiresAtMs;
  const ended: TermsEvent[] = over ? [{ type: 'FlashDealEnded', data: { because: 'expired' } }] : [];
  if (dealsBy === 'operator') return ended;
  const { activityId, city, date } = schedule;
  const { capacity } = effectiveTerms(allotment, schedule);
  const free = Math.max(0, capacity - taken);
  const subject = { id: allotmentIdOf(activityId, date), city, date, capacity, free, lastEntryMs };
  const offered = policyDeal(policy, subject, nowMs);
  const before = over ? null : deal;
  if (offered === null || offered.discountPercent <= (before?.discountPercent ?? 0)) return ended;
  const expiresAtMs = Math.max(offered.expiresAtMs, before?.expiresAtMs ?? 0);
  return [...ended, { type: 'FlashDealStarted', data: { ...offered, expiresAtMs } }];
}

function sameDeal(one: FlashDeal | null, other: FlashDeal): boolean {
  return (
    one !== null &&
    one.discountPercent === other.discountPercent &&
    one.expiresAtMs === other.expiresAtMs &&
    one.by === other.by
  );
}
