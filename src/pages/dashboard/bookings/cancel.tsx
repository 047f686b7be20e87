import { api, read } from '../client.ts';
import { Select } from '../components/form.tsx';
import { Facts } from '../components/page.tsx';
import { Money, money, When } from '../components/values.tsx';
import type { CancellationQuote, Known } from './load.ts';
import { QuotedAction } from './quoted-action.tsx';

const REASONS = [
  { value: 'user_requested', title: 'The guests asked (refund by the policy)' },
  { value: 'venue_unavailable', title: 'The venue is not available (full refund)' },
  { value: 'weather', title: 'Weather (full refund)' },
  { value: 'system', title: 'A fault of the service (full refund)' },
] as const;

export function Cancel({ known, done }: { readonly known: Known; readonly done: (said: string) => void }) {
  return (
    <QuotedAction
      known={known}
      label="Cancel the booking"
      title="Cancel the booking"
      tone="danger"
      ask="Show the refund"
      quote={async (current, { reason }) => quoteIn(await send(current, reason, null))}
      show={(quote) => (
        <Facts
          of={{
            Refund: <Money amount={quote.refund_amount} currency={quote.currency} />,
            Reason: REASONS.find(({ value }) => value === quote.reason)?.title,
            'Free cancellation until': quote.free_until === null ? null : <When at={quote.free_until} />,
            Then: 'The voucher is void and the places are free again. It cannot be undone.',
          }}
        />
      )}
      submit={(quote) => `Cancel and refund ${money(quote.refund_amount, quote.currency)}`}
      act={async ({ known: quoted, values, key }) => {
        const { refund_amount: amount, currency } = await send(quoted, values['reason'], key);
        done(`The booking is cancelled. ${money(amount, currency)} were refunded.`);
      }}
    >
      <Select label="Reason" name="reason" choices={REASONS} value="user_requested" />
    </QuotedAction>
  );
}

/** @param key null for a quote */
function send({ booking, etag }: Known, reason: string | undefined, key: string | null) {
  return read(
    api
      .bookings({ booking_id: booking.booking_id })
      .cancel.post(
        { reason: reasonOf(reason), dry_run: key === null },
        { headers: { 'if-match': etag, ...(key !== null && { 'idempotency-key': key }) } },
      ),
  );
}

function reasonOf(text: string | undefined) {
  return REASONS.find(({ value }) => value === text)?.value ?? 'user_requested';
}

function quoteIn(answer: CancellationQuote | object): CancellationQuote {
  if ('dry_run' in answer) return answer;
  throw new Error('The service cancelled instead of quoting.');
}
