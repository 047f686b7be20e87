import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Done, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Copy, Id, Money, money, When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { Actions, Erase, mayErase } from './actions.tsx';
import { type Known, loadBooking, loadTimeline, type Timeline as Told } from './load.ts';
import { OperatorName } from './operator-name.tsx';
import { partyOf, Status } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { NOT_MAILED, REASONS, refundIn, VENUE_REQUESTS } from './words.ts';

/** A booking with its timeline, which is live. The booking is read again only after an entry that can have changed it. */
export function BookingPage() {
  const { id = '' } = useRoute().params;
  const [said, setSaid] = useState('');
  const known = useAnswer(() => loadBooking(id), [id]);
  const timeline = useAnswer(() => loadTimeline(id), [id], { live: ['bookings', 'deliveries'] });
  const changes = timeline.answer === undefined ? null : changesIn(timeline.answer);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (changes === null) return;
    if (shown.current !== null && shown.current !== changes) known.reload();
    shown.current = changes;
  }, [changes]);
  const done = (text: string): void => {
    setSaid(text);
    known.reload();
    timeline.reload();
  };
  return (
    <Page title={`Booking ${id}`}>
      <p>
        <a href="/dashboard/bookings">All bookings</a>
      </p>
      <Done>{said}</Done>
      <Fault of={known.fault} retry={known.reload} />
      {known.answer === undefined && known.loading && <Loading />}
      {known.answer !== undefined && <Details known={known.answer} done={done} />}
      <Section title="Timeline">
        <Fault of={timeline.fault} retry={timeline.reload} />
        {timeline.answer === undefined ? timeline.loading && <Loading /> : <Timeline of={timeline.answer} />}
      </Section>
      {known.answer !== undefined && <GuestData known={known.answer} done={done} />}
    </Page>
  );
}

/** Changes if the booking can have changed. */
function changesIn({ items }: Told): string {
  return JSON.stringify(items.filter(({ event }) => event !== 'webhook'));
}

function Details({ known, done }: { readonly known: Known; readonly done: (said: string) => void }) {
  const { booking } = known;
  const { activity, cancellation, visit, voucher } = booking;
  return (
    <>
      <Section title={activity.title} actions={<Status of={booking.status} />}>
        <Actions known={known} done={done} />
        <Facts
          of={{
            Date: booking.booking_date,
            Party: partyOf(booking),
            City: booking.city,
            Activity: <code>{activity.id}</code>,
            Venue: <code>{activity.venue_id}</code>,
            Mode: booking.mode,
            'Venue asked': booking.venue_request === undefined ? null : VENUE_REQUESTS[booking.venue_request],
            Booked: <When at={booking.created_at} />,
            Key: <KeyName id={booking.key_id} />,
            'Changed by': booking.modified_by === null ? null : <OperatorName id={booking.modified_by} />,
            'Cancelled by': booking.cancelled_by === null ? null : <OperatorName id={booking.cancelled_by} />,
            Cancelled: cancellation === null ? null : <When at={cancellation.cancelled_at} />,
            Reason: cancellation === null ? null : REASONS[cancellation.reason],
            Refund:
              cancellation === null
                ? null
                : refundIn(cancellation.refund_status, money(cancellation.refund_amount, cancellation.currency)),
            Visited: visit === null ? null : <When at={visit.verified_at} />,
            Recommendation: booking.context_log_id === null ? null : <Explanation of={booking.context_log_id} />,
            Policy: <span class="wide">{booking.cancellation_policy.text}</span>,
          }}
        />
      </Section>
      <Price booking={booking} />
      <Section title="Guest">
        <Facts
          of={{
            Name: booking.user_name,
            'Mail address': booking.user_email,
            'Special requests': booking.special_requests,
            Reference: booking.reference,
            'Voucher mailed': <Mailed booking={booking} />,
            ...metadataOf(booking),
            Voucher: voucher === null ? null : <Voucher code={voucher.code} />,
          }}
        />
      </Section>
    </>
  );
}

/** The keys are the agent's: they must not take the place of another fact. */
function metadataOf({ metadata }: Known['booking']) {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`Metadata: ${name}`, value]));
}

type PriceRow = {
  readonly key: string;
  readonly what: ComponentChildren;
  /** Per person; null in a row that is no price. */
  readonly each: number | null;
  readonly price: number;
};
type OfBooking = { readonly booking: Known['booking'] };

function Price({ booking: { pricing, booking_id: id } }: OfBooking) {
  const { currency } = pricing;
  // Prices are before the discount, which has a row of its own: the rows add up to the total.
  const parts = pricing.lines ?? [{ guests: pricing.total_guests, unit_price: pricing.unit_price }];
  const rows: readonly PriceRow[] = [
    ...parts.map(({ guests, unit_price: each }, index) => ({
      key: String(index),
      what: String(guests),
      each,
      price: guests * each,
    })),
    ...(pricing.discount === 0 ? [] : [{ key: 'discount', what: 'Discount', each: null, price: -pricing.discount }]),
    { key: 'total', what: <strong>Total</strong>, each: null, price: pricing.total },
  ];
  return (
    <Section title="Price">
      <Table
        caption={`Price lines of ${id}`}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Guests', cell: ({ what }) => what },
          {
            title: 'Per person',
            align: 'end',
            cell: ({ each }) => (each === null ? null : <Money amount={each} currency={currency} />),
          },
          { title: 'Price', align: 'end', cell: ({ price }) => <Money amount={price} currency={currency} /> },
        ]}
      />
      {pricing.retained !== undefined && (
        <Facts of={{ 'Never refunded': <Money amount={pricing.retained} currency={currency} /> }} />
      )}
    </Section>
  );
}

/** Apart from what is done every day: an erasure cannot be undone. */
function GuestData({ known, done }: { readonly known: Known; readonly done: (said: string) => void }) {
  const { booking_id: id } = known.booking;
  const [exports, erases, reports] = [may('export_guest'), mayErase(known), may('get_erasure')];
  if (!exports && !erases && !reports) return null;
  return (
    <Section title="The guest’s data">
      <p class="actions">
        {exports && (
          <a href={`/api/bookings/${id}/guest-export`} download={`guest-of-${id}.json`}>
            Export the guest’s data
          </a>
        )}
        {reports && <a href={`/dashboard/bookings/${id}/erasure`}>Erasure report</a>}
        {erases && <Erase known={known} done={done} />}
      </p>
    </Section>
  );
}

/** Why the guest was offered this activity. */
function Explanation({ of: logId }: { readonly of: string }) {
  const code = <Id of={logId} />;
  if (!may('explain_recommendation')) return code;
  return <a href={`/dashboard/recommendation?${new URLSearchParams({ log_id: logId }).toString()}`}>{code}</a>;
}

function Voucher({ code }: { readonly code: string }) {
  // A role that does not see the code gets its mask, with which nothing can be opened.
  if (!may('export_guest')) return <span>{code}</span>;
  return (
    <span class="wide">
      <a href={`/api/vouchers/${code}`} class="mono">
        {code}
      </a>{' '}
      <Copy text={code} />
    </span>
  );
}

function Mailed({ booking: { email_sent_at: at, email_reason: reason } }: OfBooking) {
  if (at !== null) return <When at={at} />;
  return <span>{reason === undefined ? 'not yet' : NOT_MAILED[reason]}</span>;
}
