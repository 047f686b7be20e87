import { money } from '../components/values.tsx';
import { type DateOfRow, dealText, longDate, type Row, shortDate, stateText } from './calendar-date.ts';

/** Activities by dates. The header and the first column stay in view while the table scrolls. */
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
  return (
    <div class="calendar">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Activity</th>
            {rows[0]?.dates.map(({ date }) => (
              <th key={date} scope="col" aria-current={date === today ? 'date' : undefined}>
                {shortDate(date)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.activity_id}>
              <th scope="row">
                <a href={`/dashboard/activities/${row.activity_id}`}>{row.title}</a>
                <span class="soft hint">
                  {row.venue_name}
                  {row.exclusive_to !== null && ` · only for guests of ${row.exclusive_to}`}
                </span>
              </th>
              {row.dates.map((shown) => (
                <td key={shown.date}>
                  <DateButton row={row} shown={shown} currency={currency} choose={choose} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
  return (
    <button type="button" class={`date ${state}`} onClick={() => choose(row, shown)}>
      <span class="unseen">{`${row.title}, ${longDate(shown.date)}: `}</span>
      <strong>{stateText(shown)}</strong>{' '}
      <span>
        {state === 'closed' ? '' : `${sold} of ${capacity}`}
        {state !== 'closed' && <span class="unseen"> sold</span>}
        {state === 'closed' && sold > 0 && `${sold} sold`}
        {held > 0 && ` +${held}`}
        {held > 0 && <span class="unseen"> held</span>}
      </span>{' '}
      <span>
        {price !== null && money(price, currency).replace(/\.00$/, '')}
        {set.length > 0 && <span aria-hidden="true"> ✎</span>}
        {set.length > 0 && <span class="unseen"> changed by an operator</span>}
      </span>{' '}
      {shown.flash_deal !== null && <span class="deal">{dealText(shown)}</span>}
    </button>
  );
}
