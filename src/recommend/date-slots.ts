import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { LocalDate } from '../domain/activity/activity.ts';
import { termsOn } from '../domain/activity/schedule.ts';
import { effectiveTerms } from '../domain/allotment/terms.ts';
import type { Candidate, CandidateColumns } from './candidate-columns.ts';

/** Free slots and prices of a city's candidates on a date, by their indexes. */
export type DateSlots = {
  /** Below 0 if the capacity was lowered. */
  readonly free: Int32Array;
  readonly pricesMinor: Float64Array;
  /** The allotments; undefined for dates by the schedule. */
  readonly documents: readonly (InventoryDocument | undefined)[];
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
  // Full from the start: JavaScript engines read arrays with gaps slowly.
  const documents: (InventoryDocument | undefined)[] = candidates.map((_, index) => allotments.get(index));
  const put = (index: number, document: InventoryDocument | undefined): void => {
    const { activity, revision } = candidates[index] as Candidate;
    const scheduled = termsOn(activity, date);
    const current = { ...scheduled, cancellation: activity.cancellation, catalogueRevision: revision };
    const { capacity, unitPriceMinor } = document === undefined ? scheduled : effectiveTerms(document, current);
    free[index] = capacity - (document?.taken ?? 0);
    pricesMinor[index] = unitPriceMinor;
  };
  for (const index of seasonal) put(index, undefined);
  for (const [index, document] of allotments) put(index, document);
  return { free, pricesMinor, documents };
}
