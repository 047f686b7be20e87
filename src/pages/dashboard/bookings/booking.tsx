import { useEffect, useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Done, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Copy, Money, money, When } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { Actions } from './actions.tsx';
import { type Known, loadBooking, loadTimeline, type Timeline as Told } from './load.ts';
import { partyOf, Status } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { NOT_MAILED, REASONS, refundIn } from './words.ts';

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
            Booked: <When at={booking.created_at} />,
            Key: <code>{booking.key_id}</code>,
            'Changed by': booking.modified_by,
            'Cancelled by': booking.cancelled_by,
            Cancelled: cancellation === null ? null : <When at={cancellation.cancelled_at} />,
            Reason: cancellation === null ? null : REASONS[cancellation.reason],
            Refund:
              cancellation === null
                ? null
                : refundIn(cancellation.refund_status, money(cancellation.refund_amount, cancellation.currency)),
            Visited: visit === null ? null : <When at={visit.verified_at} />,
            Policy: booking.cancellation_policy.text,
          }}
        />
      </Section>
      <Price booking={booking} />
      <Section title="Guest" actions={<GuestLinks booking={booking} />}>
        <Facts
          of={{
            Name: booking.user_name,
            'Mail address': booking.user_email,
            'Special requests': booking.special_requests,
            Reference: booking.reference,
            Voucher: voucher === null ? null : <Voucher code={voucher.code} />,
            'Voucher mailed': <Mailed booking={booking} />,
            ...metadataOf(booking),
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

type OfBooking = { readonly booking: Known['booking'] };

function Price({ booking: { pricing, booking_id: id } }: OfBooking) {
  const { currency } = pricing;
  const lines = pricing.lines ?? [
    { guests: pricing.total_guests, unit_price: pricing.unit_price, price: pricing.total },
  ];
  return (
    <Section title="Price">
      <Table
        caption={`Price lines of ${id}`}
        rows={lines.map((line, index) => ({ ...line, key: String(index) }))}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Guests', cell: ({ guests }) => String(guests) },
          {
            title: 'Per person',
            align: 'end',
            cell: ({ unit_price: each }) => <Money amount={each} currency={currency} />,
          },
          { title: 'Price', align: 'end', cell: ({ price }) => <Money amount={price} currency={currency} /> },
        ]}
      />
      <Facts
        of={{
          Discount: pricing.discount === 0 ? null : <Money amount={pricing.discount} currency={currency} />,
          Total: <Money amount={pricing.total} currency={currency} />,
          'Never refunded':
            pricing.retained === undefined ? null : <Money amount={pricing.retained} currency={currency} />,
        }}
      />
    </Section>
  );
}

function GuestLinks({ booking: { booking_id: id } }: OfBooking) {
  return (
    <>
      {may('export_guest') && (
        <a href={`/api/bookings/${id}/guest-export`} download={`guest-of-${id}.json`}>
          Export the guest’s data
        </a>
      )}
      {may('get_erasure') && <a href={`/dashboard/bookings/${id}/erasure`}>Erasure report</a>}
    </>
  );
}

function Voucher({ code }: { readonly code: string }) {
  // A role that does not see the code gets its mask, with which nothing can be opened.
  if (!may('export_guest')) return <span>{code}</span>;
  return (
    <>
      <a href={`/api/vouchers/${code}`} class="mono">
        {code}
      </a>{' '}
      <Copy text={code} />
    </>
  );
}

function Mailed({ booking: { email_sent_at: at, email_reason: reason } }: OfBooking) {
  if (at !== null) return <When at={at} />;
  return <span>{reason === undefined ? 'not yet' : NOT_MAILED[reason]}</span>;
}
