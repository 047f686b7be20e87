import { api, read } from '../client.ts';
import { Select } from '../components/form.tsx';
import { Facts } from '../components/page.tsx';
import { Money, money, When } from '../components/values.tsx';
import type { CancellationQuote, Known } from './load.ts';
import { QuotedAction } from './quoted-action.tsx';
import { REASONS, refundIn } from './words.ts';

const CHOICES = (['user_requested', 'venue_unavailable', 'weather', 'system'] as const).map((value) => ({
  value,
  title: `${REASONS[value]} (${value === 'user_requested' ? 'refund by the policy' : 'full refund'})`,
}));

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
            Reason: REASONS[quote.reason],
            'Free cancellation until': quote.free_until === null ? null : <When at={quote.free_until} />,
            Effect: 'The voucher is void and the places are free again. It cannot be undone.',
          }}
        />
      )}
      submit={({ refund_amount: amount, currency }) =>
        amount === 0 ? 'Cancel without a refund' : `Cancel and refund ${money(amount, currency)}`
      }
      act={async ({ known: quoted, values, key }) => {
        done(`The booking is cancelled. ${outcomeOf(await send(quoted, values['reason'], key))}`);
      }}
    >
      <Select label="Reason" name="reason" choices={CHOICES} value="user_requested" />
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

function outcomeOf(answer: Awaited<ReturnType<typeof send>>): string {
  if ('dry_run' in answer) throw new Error('The service quoted instead of cancelling.');
  return refundIn(answer.refund_status, money(answer.refund_amount, answer.currency));
}

function reasonOf(text: string | undefined) {
  return CHOICES.find(({ value }) => value === text)?.value ?? 'user_requested';
}

function quoteIn(answer: CancellationQuote | object): CancellationQuote {
  if ('dry_run' in answer) return answer;
  throw new Error('The service cancelled instead of quoting.');
}
