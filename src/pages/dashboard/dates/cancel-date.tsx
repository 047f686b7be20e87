import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { parseLocalDate } from '../../../domain/activity/schedule.ts';
import type { Api, DataFrom } from '../answers.ts';
import { REASONS } from '../bookings/words.ts';
import { longDate } from '../catalogue/calendar-date.ts';
import { ApiError, api, idempotencyKey, read } from '../client.ts';
import { Changed } from '../components/changed.tsx';
import { Field, Form, Select, type Values } from '../components/form.tsx';
import { Empty, Facts, Fault, Loading, Page, Progress, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Count, Money, When } from '../components/values.tsx';
import { useLive } from '../live.ts';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';

type Operation = ReturnType<ReturnType<Api['activities']>['allotments']>['cancel'];
type Answer = DataFrom<Operation['post']>;
type Cancellation = DataFrom<Operation['get']>;
type Quote = Extract<Answer, { readonly dry_run: true }>;
type Reason = Cancellation['reason'];
/** A date of an activity, as the address names it. */
type Place = { readonly activity: string; readonly date: string };

const POLL_MS = 1_000;
const CHOICES = (['weather', 'venue_unavailable', 'system'] as const satisfies readonly Reason[]).map((value) => ({
  value,
  title: REASONS[value],
}));
const TOLD =
  'Each guest gets a mail with the refund. The agents whose key has a receiver hear it by webhook; tell the others.';
const BECAUSE = { visited: 'Its guests were there.', pending: 'Not cancelled yet.' } as const;

/** What a cancellation of the date would do; once it was requested, how far it is. */
export function CancelDatePage() {
  const { params } = useRoute();
  const place = { activity: params['activity_id'] ?? '', date: params['date'] ?? '' };
  const { answer, fault, reload } = useAnswer(() => newest(place), [place.activity, place.date]);
  // Also without an answer: the service may have closed the date before it stopped.
  const [sent, setSent] = useState(false);
  const asks = answer === null || answer?.reopened === true;
  useEffect(() => {
    if (!asks) setSent(false);
  }, [asks]);
  const polls = answer?.status === 'running' || (sent && asks);
  useEffect(() => {
    if (!polls) return undefined;
    // The progress is in the stream of the date, and no read model tells of it.
    const timer = setInterval(reload, POLL_MS);
    return () => clearInterval(timer);
  }, [polls, place.activity, place.date]);
  const entry = useAnswer(() => read(api.activities({ activity_id: place.activity }).get()), [place.activity]);
  const title = entry.answer?.texts.en.title ?? place.activity;
  return (
    <Page title={`Cancel ${title} on ${parseLocalDate(place.date) === null ? place.date : longDate(place.date)}`}>
      <Links place={place} city={entry.answer?.city} />
      <Fault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer !== undefined && answer !== null && <Progressing of={answer} />}
      {asks &&
        (may('cancel_date') ? (
          <Asking key={`${place.activity} ${place.date}`} place={place} sent={setSent} cancelled={reload} />
        ) : (
          <Empty>The bookings of this date are not cancelled. Your role cannot cancel them.</Empty>
        ))}
    </Page>
  );
}

/** @param city undefined until it is known */
function Links({ place: { activity, date }, city }: { readonly place: Place; readonly city: string | undefined }) {
  const ofDate = new URLSearchParams({ activity_id: activity, from: date, to: date });
  const calendar = city && new URLSearchParams({ city, from: date });
  return (
    <p class="links hint">
      <code>{activity}</code>
      {may('list_all_bookings') && <a href={`/dashboard/bookings?${ofDate}`}>Bookings of this date</a>}
      {calendar && may('calendar') && <a href={`/dashboard/calendar?${calendar}`}>Calendar of {city}</a>}
    </p>
  );
}

function at({ activity, date }: Place): Operation {
  return api.activities({ activity_id: activity }).allotments({ date }).cancel;
}

/** Null if the date was never cancelled. */
async function newest(place: Place): Promise<Cancellation | null> {
  try {
    return await read(at(place).get());
  } catch (fault) {
    if (fault instanceof ApiError && fault.code === 'NOT_FOUND') return null;
    throw fault;
  }
}

async function quoteOf(place: Place): Promise<Quote> {
  const quote = await read(at(place).post({ dry_run: true }));
  if (!('dry_run' in quote)) throw new Error('The service has answered a dry run with a cancellation.');
  return quote;
}

function Asking({
  place,
  sent,
  cancelled,
}: {
  readonly place: Place;
  readonly sent: (sent: boolean) => void;
  readonly cancelled: () => void;
}) {
  const { activity, date } = place;
  const quote = useAnswer(() => quoteOf(place), [activity, date]);
  // The service records each quote: the page asks for another one only when the operator does.
  const [changed, setChanged] = useState(false);
  useLive(['bookings', 'inventory'], () => setChanged(true));
  const show = (): void => {
    setChanged(false);
    quote.reload();
  };
  // One decision of a person: sending it again after a lost answer cancels nothing twice.
  const [key] = useState(idempotencyKey);
  const send = async (values: Values): Promise<void> => {
    if (values['date'] !== date) throw new Error(`Type ${date} to confirm; it was "${values['date'] ?? ''}".`);
    const reason = (values['reason'] ?? 'weather') as Reason;
    sent(true);
    try {
      await read(at(place).post({ reason }, { headers: { 'idempotency-key': key } }));
    } catch (fault) {
      if (fault instanceof ApiError && fault.status !== 0) sent(false);
      throw fault;
    }
    cancelled();
  };
  return (
    <>
      <Section title="What will happen">
        <Fault of={quote.fault} retry={show} />
        {changed && <Changed what="Bookings or places have changed since." show={show} />}
        {quote.answer === undefined ? quote.fault === null && <Loading /> : <Quoted of={quote.answer} />}
      </Section>
      {quote.answer !== undefined && (
        <Section title="Cancel the date">
          <Form submit="Cancel all bookings of this date" tone="danger" send={send}>
            <Select
              label="Reason"
              name="reason"
              hint={`The agents see it. ${TOLD}`}
              choices={CHOICES}
              value="weather"
            />
            <Field label={`Type ${date} to confirm`} name="date" autoComplete="off" required />
          </Form>
        </Section>
      )}
    </>
  );
}

function Quoted({ of: quote }: { readonly of: Quote }) {
  return (
    <>
      <p>
        The date is closed at once: nobody can book, hold or move there. Then each booking is cancelled and refunded in
        full, whatever its policy says, and holds are released.
      </p>
      <p>
        <strong>{TOLD}</strong>
      </p>
      <Facts
        of={{
          'Bookings to cancel': <Count of={quote.bookings} />,
          'Their guests': <Count of={quote.guests} />,
          'To be refunded': <Money amount={quote.refund_amount} currency={quote.currency} />,
          'Holds to release': <Count of={quote.holds} />,
          'Visited bookings, which stay': <Count of={quote.visited} />,
        }}
      />
    </>
  );
}

function Progressing({ of }: { readonly of: Cancellation }) {
  const finished = of.status === 'finished';
  const settled = of.bookings - of.pending;
  return (
    <Section title={finished ? 'The date was cancelled' : 'The date is being cancelled'}>
      <Progress label="Bookings done" of={settled} total={of.bookings} />
      <p role="status">
        {finished
          ? `Finished: ${of.cancelled} cancelled, ${of.visited} left.`
          : 'The service goes on if you close this page, and after a restart.'}
      </p>
      <p>{TOLD}</p>
      <Facts
        of={{
          Reason: REASONS[of.reason],
          Cancelled: <Count of={of.cancelled} />,
          Refunded: <Money amount={of.refund_amount} currency={of.currency} />,
          'Left, because they were visited': <Count of={of.visited} />,
          'Ended or moved before': <Count of={of.gone} />,
          'Not done yet': <Count of={of.pending} />,
          'Guests when it was closed': <Count of={of.guests} />,
          'Holds when it was closed': <Count of={of.holds} />,
          Started: <When at={of.started_at} />,
          Finished: finished ? <When at={of.finished_at} /> : null,
        }}
      />
      {finished && !of.reopened && <p class="soft">The date stays closed. To sell it again, set its capacity.</p>}
      {of.left.length > 0 && (
        <Table
          caption={`Bookings left${of.visited + of.pending > of.left.length ? `, the first ${of.left.length}` : ''}`}
          shown
          columns={[
            {
              title: 'Booking',
              cell: ({ booking_id: id }) => <a href={`/dashboard/bookings/${encodeURIComponent(id)}`}>{id}</a>,
            },
            { title: 'Why', cell: ({ because }) => BECAUSE[because] },
          ]}
          rows={of.left}
          keyOf={({ booking_id: id }) => id}
        />
      )}
    </Section>
  );
}
