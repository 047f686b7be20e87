import { useRoute } from 'preact-iso';
import type { Api, DataFrom } from '../answers.ts';
import { partyOf, Status } from '../bookings/status.tsx';
import { NOT_MAILED, REASONS } from '../bookings/words.ts';
import { api, read } from '../client.ts';
import { Empty, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Money, When } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';

type Booking = DataFrom<ReturnType<Api['b2a']['bookings']>['get']>;

export function BookingPage() {
  const { id = '' } = useRoute().params;
  const { answer, fault, reload } = useAnswer(
    () => read(api.b2a.bookings({ booking_id: id }).get({ query: { include: 'history' } })),
    [id],
    { live: ['bookings', 'deliveries'] },
  );
  return (
    <Page title={`Booking ${id}`}>
      <Fault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer !== undefined && <Shown of={answer} />}
    </Page>
  );
}

const REJECTIONS: Readonly<Record<string, string>> = {
  ACTIVITY_UNAVAILABLE: 'The activity could not take it',
  SERVICE_UNAVAILABLE: 'A fault of the service',
};

/** With the code, which an agent reads. */
function rejectionText(code: string): string {
  const text = REJECTIONS[code];
  return text === undefined ? code : `${text} (${code})`;
}

function Shown({ of: booking }: { readonly of: Booking }) {
  const { pricing, cancellation, cancellation_policy, metadata, history = [] } = booking;
  const own = Object.entries(metadata);
  return (
    <>
      <Section title={booking.activity.title}>
        <Facts
          of={{
            Status: <Status of={booking.status} />,
            Reason: booking.code === null ? null : rejectionText(booking.code),
            Date: booking.booking_date,
            Guests: partyOf(booking),
            Total: <Money amount={pricing.total} currency={pricing.currency} />,
            Discount: pricing.discount === 0 ? null : <Money amount={pricing.discount} currency={pricing.currency} />,
            Place: booking.activity.location,
            Created: <When at={booking.created_at} />,
            'Voucher mailed': (
              <When
                at={booking.email_sent_at}
                none={booking.email_reason === undefined ? 'not yet' : NOT_MAILED[booking.email_reason]}
              />
            ),
            'Voucher valid until': booking.voucher === null ? null : <When at={booking.voucher.valid_until} />,
            Visited: booking.visit === null ? null : <When at={booking.visit.verified_at} />,
            'Cancellation policy': cancellation_policy.text,
          }}
        />
      </Section>
      {cancellation !== null && (
        <Section title="Cancellation">
          <Facts
            of={{
              Cancelled: <When at={cancellation.cancelled_at} />,
              Reason: REASONS[cancellation.reason],
              Refund: <Money amount={cancellation.refund_amount} currency={cancellation.currency} />,
              'State of the refund': cancellation.refund_status,
            }}
          />
        </Section>
      )}
      <Section title="Guest">
        <Facts
          of={{ Name: booking.user_name, Mail: booking.user_email, 'Special requests': booking.special_requests }}
        />
      </Section>
      <Section title="Your own data">
        <Facts
          of={{
            Reference: booking.reference ?? 'none',
            Recommendation: booking.context_log_id === null ? null : <code>{booking.context_log_id}</code>,
            ...Object.fromEntries(own),
          }}
        />
      </Section>
      <Section title="History">
        {history.length === 0 ? (
          <Empty>Nothing is recorded yet.</Empty>
        ) : (
          <Table
            caption="What happened to the booking, oldest first"
            rows={history.map((entry, index) => ({ ...entry, index }))}
            keyOf={({ index }) => String(index)}
            columns={[
              { title: 'When', cell: ({ at }) => <When at={at} /> },
              { title: 'What', cell: ({ text }) => text },
              { title: 'By', cell: ({ by }) => by },
            ]}
          />
        )}
      </Section>
    </>
  );
}
