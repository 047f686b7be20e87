import { useId } from 'preact/hooks';
import { money } from '../components/values.tsx';
import { type DateOfRow, dealText, isWeekend, longDate, type Row, shortDate, stateText } from './calendar-date.ts';

/** Activities by dates. The caption, the header and the first column stay in view while the table scrolls. */
export function CalendarTable({
  caption,
  rows,
  currency,
  today,
  choose,
}: {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly currency: string;
  /** `YYYY-MM-DD` */
  readonly today: string;
  readonly choose: (row: Row, date: DateOfRow) => void;
}) {
  const heading = useId();
  return (
    <section class="calendar">
      <h2 id={heading}>{caption}</h2>
      <div>
        <table aria-labelledby={heading}>
          <thead>
            <tr>
              <th scope="col">Activity</th>
              {rows[0]?.dates.map(({ date }) => (
                <th
                  key={date}
                  scope="col"
                  class={isWeekend(date) ? 'weekend' : ''}
                  aria-current={date === today ? 'date' : undefined}
                >
                  {shortDate(date)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.activity_id}>
                <th scope="row">
                  <a href={`/dashboard/activities/${row.activity_id}`} title={row.title}>
                    {row.title}
                  </a>
                  <span class="soft hint">
                    {row.venue_name}
                    {row.exclusive_to !== null && ` · only for guests of ${row.exclusive_to}`}
                  </span>
                </th>
                {row.dates.map((shown) => (
                  <td key={shown.date} class={isWeekend(shown.date) ? 'weekend' : ''}>
                    <DateButton row={row} shown={shown} currency={currency} choose={choose} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function DateButton({
  row,
  shown,
  currency,
  choose,
}: {
  readonly row: Row;
  readonly shown: DateOfRow;
  readonly currency: string;
  readonly choose: (row: Row, date: DateOfRow) => void;
}) {
  const { state, capacity, sold, held, price, set_by_operator: set } = shown;
  const sells = state !== 'closed' && state !== 'cancelled';
  return (
    <button type="button" class={`date ${state}`} onClick={() => choose(row, shown)}>
      <span class="unseen">{`${row.title}, ${longDate(shown.date)}: `}</span>
      <strong>{stateText(shown)}</strong>{' '}
      <span>
        {sells && `${sold} of ${capacity}`}
        {sells && <span class="unseen"> sold</span>}
        {!sells && sold > 0 && `${sold} sold`}
        {held > 0 && ` +${held}`}
        {held > 0 && <span class="unseen"> held</span>}
        {sells && set.includes('capacity') && <Changed />}
      </span>{' '}
      <span>
        {price !== null && money(price, currency).replace(/\.00$/, '')}
        {price !== null && set.includes('price') && <Changed />}
      </span>{' '}
      {shown.flash_deal !== null && <span class="deal">{dealText(shown)}</span>}
    </button>
  );
}

/** Beside the value that an operator set. */
function Changed() {
  return (
    <>
      <span aria-hidden="true"> ✎</span>
      <span class="unseen"> changed by an operator</span>
    </>
  );
}
