import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { useAnswer } from '../use-answer.ts';
import type { Row } from './calendar-date.ts';

/** Read models whose changes change the calendar. */
export const LIVE = ['inventory', 'activities'] as const;

/** With its place in the list, which it keeps. */
type Kept = { readonly row: Row; readonly index: number };

/**
 * The rows of a filtered calendar with the one that was changed last: if it no longer matches the filter, its row stays until
 * the filter is used again. Otherwise the row would disappear, and nothing would say why.
 *
 * @param items the rows that match
 * @param from `YYYY-MM-DD`, as `to`: the dates of the page
 * @param filtered whether the page has a filter that a change of a date can end
 */
export function useKeptRow(items: readonly Row[], from: string, to: string, filtered: boolean) {
  const [kept, setKept] = useState<Kept | null>(null);
  const id = filtered ? kept?.row.activity_id : undefined;
  const load = async (): Promise<Row | null> => {
    if (id === undefined) return null;
    return (await read(api.calendar.get({ query: { activity_id: id, from, to } }))).items[0] ?? null;
  };
  const { answer } = useAnswer(load, [id, from, to], { live: id === undefined ? [] : LIVE });
  const left = kept !== null && id !== undefined && !items.some(({ activity_id: other }) => other === id);
  return {
    /** The activity that was changed last; undefined after the filter was used. */
    changedId: kept?.row.activity_id,
    rows: left ? items.toSpliced(kept.index, 0, answer ?? kept.row) : items,
    /** Whether the row is there although it no longer matches. */
    left,
    keep: (row: Row) => {
      const index = items.findIndex(({ activity_id: other }) => other === row.activity_id);
      // One that is kept already has its place.
      setKept((before) => ({ row, index: index < 0 ? (before?.index ?? 0) : index }));
    },
    forget: () => setKept(null),
  };
}
