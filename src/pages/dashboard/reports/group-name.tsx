import { type ReportRow, textIn } from './figures.ts';

/** The last row of a table, which sums the others. */
export const TOTAL = 'Total';

/** The group of a row: an activity is a link with its title. A day or month stays in one line. */
export function GroupName({ row, by }: { readonly row: ReportRow; readonly by: string }) {
  const group = textIn(row, by);
  if (/^\d{4}-\d{2}/.test(group)) return <span class="number">{group}</span>;
  if (by !== 'activity_id' || group !== row[by] || group === TOTAL) return <>{group}</>;
  const title = row['title'];
  return (
    <span class="entry">
      <a href={`/dashboard/activities/${encodeURIComponent(group)}`}>{typeof title === 'string' ? title : group}</a>
      {typeof title === 'string' && <small>{group}</small>}
    </span>
  );
}
