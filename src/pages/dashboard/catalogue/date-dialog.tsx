import { Dialog } from '../components/dialog.tsx';
import { Badge, Facts } from '../components/page.tsx';
import { money, When } from '../components/values.tsx';
import { may } from '../session.ts';
import { closureText, type DateOfRow, longDate, type Row, stateText, toneOf } from './calendar-date.ts';
import { ChangeDates } from './change-dates.tsx';

/** One activity on one date: what is known of it, and the form that changes it and the dates after it. */
export function DateDialog({
  row,
  shown,
  currency,
  close,
  changed,
}: {
  readonly row: Pick<Row, 'activity_id' | 'title'>;
  readonly shown: DateOfRow;
  readonly currency: string;
  readonly close: () => void;
  readonly changed: (message: string) => void;
}) {
  const { date, state, capacity, sold, held, free, price, flash_deal: deal, set_by_operator: set } = shown;
  const onSale = state !== 'closed' && state !== 'past';
  const by = (what: 'capacity' | 'price'): string => (set.includes(what) ? ' (set by an operator)' : '');
  return (
    <Dialog title={`${row.title}, ${longDate(date)}`} close={close}>
      <p>
        <Badge tone={toneOf(shown)}>{stateText(shown)}</Badge> {closureText(shown)}
      </p>
      <Facts
        of={{
          Capacity: `${capacity.toLocaleString('en')}${by('capacity')}`,
          Sold: sold.toLocaleString('en'),
          Held: held.toLocaleString('en'),
          Free: free.toLocaleString('en'),
          Price: price === null ? null : `${money(price, currency)}${by('price')}`,
          'Flash deal': deal && (
            <>
              {deal.discount_percent}% off, {money(deal.price, currency)}, until <When at={deal.expires_at} />
            </>
          ),
        }}
      />
      <p class="links">
        <a href={`/dashboard/activities/${row.activity_id}`}>The activity</a>
        {may('list_all_bookings') && (
          <a href={`/dashboard/bookings?activity_id=${row.activity_id}&from=${date}&to=${date}`}>
            Bookings of this date
          </a>
        )}
        {may('cancel_date') && onSale && (
          <a href={`/dashboard/dates/${row.activity_id}/${date}/cancel`}>
            {state === 'cancelled' ? 'Its cancellation' : 'Cancel the whole date'}
          </a>
        )}
      </p>
      {may('set_allotments') && onSale && (
        <ChangeDates row={row} currency={currency} from={date} present={shown} changed={changed} />
      )}
    </Dialog>
  );
}
