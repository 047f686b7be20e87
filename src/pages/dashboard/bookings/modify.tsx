import { api, read } from '../client.ts';
import { Field, TextArea, type Values } from '../components/form.tsx';
import { Empty, Facts } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Money, money } from '../components/values.tsx';
import type { Known, ModificationQuote } from './load.ts';
import { QuotedAction } from './quoted-action.tsx';

const NAMES: Readonly<Record<string, string>> = {
  booking_date: 'Date',
  num_adults: 'Adults',
  num_children: 'Children',
  user_name: 'Name',
  user_email: 'Mail address',
  special_requests: 'Special requests',
};

type Guard = { readonly dry_run: true } | { readonly expected_total: number };

export function Modify({ known, done }: { readonly known: Known; readonly done: (said: string) => void }) {
  const { booking } = known;
  return (
    <QuotedAction
      known={known}
      label="Change the booking"
      title="Change the booking"
      ask="Show the price"
      quote={async (current, values) => quoteIn(await send(current, values, { dry_run: true }))}
      show={(quote) => <Quote of={quote} />}
      submit={(quote) => (quote.available && Object.keys(quote.changes).length > 0 ? confirmation(quote) : null)}
      act={async ({ known: quoted, values, quote, key }) => {
        await send(quoted, values, { expected_total: quote.new_pricing.total }, { 'idempotency-key': key });
        done(`The booking is changed. Its price is ${money(quote.new_pricing.total, quote.new_pricing.currency)}.`);
      }}
    >
      <Field label="Date" name="booking_date" type="date" value={booking.booking_date} required />
      <Field label="Adults" name="num_adults" type="number" min={1} value={booking.num_adults} required />
      <Field label="Children" name="num_children" type="number" min={0} value={booking.num_children} required />
      {!booking.guest_erased && (
        <>
          <Field label="Name" name="user_name" value={booking.user_name} required maxLength={200} />
          <Field label="Mail address" name="user_email" type="email" value={booking.user_email} required />
          <TextArea label="Special requests" name="special_requests" value={booking.special_requests ?? ''} />
        </>
      )}
    </QuotedAction>
  );
}

function send({ booking, etag }: Known, values: Values, guard: Guard, headers: Readonly<Record<string, string>> = {}) {
  return read(
    api
      .bookings({ booking_id: booking.booking_id })
      .modify.post({ ...changesIn(values, booking), ...guard }, { headers: { 'if-match': etag, ...headers } }),
  );
}

function Quote({ of: quote }: { readonly of: ModificationQuote }) {
  const { changes, new_pricing: pricing, charge, refund, available } = quote;
  const rows = Object.entries(changes);
  if (rows.length === 0) return <Empty>Nothing differs from the booking.</Empty>;
  return (
    <>
      <Table
        caption="What changes"
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { title: 'Field', cell: ([name]) => NAMES[name] ?? name },
          { title: 'From', cell: ([, { from }]) => from ?? 'none' },
          { title: 'To', cell: ([, { to }]) => to ?? 'none' },
        ]}
      />
      <Facts
        of={{
          'New price': <Money amount={pricing.total} currency={pricing.currency} />,
          'Charged now': <Money amount={charge} currency={pricing.currency} />,
          'Refunded now': <Money amount={refund} currency={pricing.currency} />,
          Places: available ? 'enough are free' : 'too few are free: the change would be refused',
        }}
      />
    </>
  );
}

function confirmation({ charge, refund, new_pricing: { currency } }: ModificationQuote): string {
  if (charge > 0) return `Change and charge ${money(charge, currency)}`;
  return refund > 0 ? `Change and refund ${money(refund, currency)}` : 'Change at no cost';
}

/** The fields that differ from the booking. An emptied field of requests removes them. */
function changesIn(values: Values, booking: Known['booking']) {
  const { booking_date: date, num_adults, num_children, user_name: name, user_email: email } = values;
  const [adults, children] = [Number(num_adults), Number(num_children)];
  const requests = values['special_requests'] ?? null;
  return {
    ...(date !== undefined && date !== booking.booking_date && { booking_date: date }),
    ...(adults !== booking.num_adults && { num_adults: adults }),
    ...(children !== booking.num_children && { num_children: children }),
    ...(name !== undefined && name !== booking.user_name && { user_name: name }),
    ...(email !== undefined && email !== booking.user_email && { user_email: email }),
    ...(!booking.guest_erased && requests !== booking.special_requests && { special_requests: requests }),
  };
}

function quoteIn(answer: ModificationQuote | object): ModificationQuote {
  if ('dry_run' in answer) return answer;
  throw new Error('The service changed the booking instead of quoting.');
}
