import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { LocalDate } from '../domain/activity/activity.ts';
import { termsOn } from '../domain/activity/schedule.ts';
import { effectiveTerms, type FlashDeal } from '../domain/allotment/terms.ts';
import type { Candidate, CandidateColumns } from './candidate-columns.ts';

/** Free slots and prices of a city's candidates on a date, by their indexes. */
export type DateSlots = {
  /** Below 0 if the capacity was lowered. */
  readonly free: Int32Array;
  readonly pricesMinor: Float64Array;
  /** The allotments; none for dates by the schedule. */
  readonly documents: ReadonlyMap<number, InventoryDocument>;
  /** Deals of the allotments, also those that have expired. */
  readonly deals: ReadonlyMap<number, FlashDeal>;
  /** Candidates whose price is not that of the catalogue. */
  readonly repriced: ReadonlySet<number>;
};

type Columns = Pick<CandidateColumns, 'capacities' | 'pricesMinor' | 'seasonal'>;

export function dateSlotsOf(
  date: LocalDate,
  candidates: readonly Candidate[],
  columns: Columns,
  allotments: ReadonlyMap<number, InventoryDocument>,
): DateSlots {
  const { capacities, seasonal } = columns;
  // Most dates of most cities are as the schedule says, and share the columns of the catalogue.
  const isPlain = allotments.size === 0 && seasonal.length === 0;
  const [free, pricesMinor] = isPlain
    ? [capacities, columns.pricesMinor]
    : [capacities.slice(), columns.pricesMinor.slice()];
  const deals = new Map<number, FlashDeal>();
  const repriced = new Set<number>();
  const put = (index: number, document: InventoryDocument | undefined): void => {
    const { activity, revision } = candidates[index] as Candidate;
    const scheduled = termsOn(activity, date);
    const current = { ...scheduled, cancellation: activity.cancellation, catalogueRevision: revision };
    const { capacity, unitPriceMinor } = document === undefined ? scheduled : effectiveTerms(document, current);
    free[index] = capacity - (document?.taken ?? 0);
    pricesMinor[index] = unitPriceMinor;
    if (unitPriceMinor !== columns.pricesMinor[index]) repriced.add(index);
    if (document !== undefined && document.deal !== null) deals.set(index, document.deal);
  };
  for (const index of seasonal) if (!allotments.has(index)) put(index, undefined);
  for (const [index, document] of allotments) put(index, document);
  return { free, pricesMinor, documents: allotments, deals, repriced };
}
