import { Badge } from '../components/page.tsx';
import { money } from '../components/values.tsx';
import { type DateOfRow, dealText, longDate, type Row, stateText, toneOf } from './calendar-date.ts';

/** One date of all activities, for a phone. */
export function DayList({
  rows,
  currency,
  choose,
  changed,
  said,
}: {
  readonly rows: readonly Row[];
  readonly currency: string;
  readonly choose: (row: Row, date: DateOfRow) => void;
  /** The activity that was changed last, whose card says so: the top of the page may be out of sight. */
  readonly changed: string | undefined;
  readonly said: string;
}) {
  const date = rows[0]?.dates[0]?.date;
  return (
    <section>
      {date !== undefined && <h2>{longDate(date)}</h2>}
      <ul class="day">
        {rows.map((row) => {
          const shown = row.dates[0];
          return shown === undefined ? null : (
            <li key={row.activity_id} class="card">
              <a href={`/dashboard/activities/${row.activity_id}`}>{row.title}</a>
              <p>
                <Badge tone={toneOf(shown)}>{stateText(shown)}</Badge>{' '}
                {shown.flash_deal !== null && <Badge tone="info">{dealText(shown)}</Badge>}
              </p>
              <p>
                {shown.sold} of {shown.capacity} sold
                {shown.held > 0 && `, ${shown.held} held`}
                {shown.price !== null && `, ${money(shown.price, currency)}`}
              </p>
              {row.activity_id === changed && said !== '' && <p class="notice good">{said}</p>}
              <button type="button" onClick={() => choose(row, shown)}>
                Open the date<span class="unseen">{` of ${row.title}`}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
