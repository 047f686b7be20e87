import { useState } from 'preact/hooks';
import { WEEKDAYS, type Weekday } from '../../../domain/activity/vocabulary.ts';
import type { DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { Boxes, Field, Form, type Values } from '../components/form.tsx';
import { Badge, type Tone } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { type DateOfRow, shortDate } from './calendar-date.ts';

const allotmentsOf = (activityId: string) => api.activities({ activity_id: activityId }).allotments;
type Range = DataFrom<ReturnType<typeof allotmentsOf>['put']>;
type DateOfRange = Range['dates'][number];
type Body = Parameters<ReturnType<typeof allotmentsOf>['put']>[0];

const DAYS: Readonly<Record<Weekday, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
const MORE_PLACES = 10;

/** A form for one date or a range. It shows what would change, and changes it after a second click. */
export function ChangeDates({
  activityId,
  currency,
  from,
  present,
  changed,
}: {
  readonly activityId: string;
  readonly currency: string;
  /** `YYYY-MM-DD` */
  readonly from: string;
  /** What is set now on the first date; null: unknown. */
  readonly present: DateOfRow | null;
  readonly changed: (message: string) => void;
}) {
  const [shown, setShown] = useState<{ readonly body: Body; readonly answer: Range } | null>(null);
  const [capacity, setCapacity] = useState('');
  const put = (body: Body): Promise<Range> => read(allotmentsOf(activityId).put(body));
  if (shown !== null) {
    const { body, answer } = shown;
    const { changed: dates } = answer;
    return (
      <section class="change">
        <h3>{answer.dry_run ? 'What would change' : 'What has changed'}</h3>
        <p role="status">{summaryOf(answer)}</p>
        <Results answer={answer} currency={currency} />
        {(dates > 0 || !answer.complete) && (
          <Form
            submit={answer.dry_run ? `Change ${datesText(dates)}` : 'Send again'}
            send={async () => {
              const done = await put({ ...body, dry_run: false });
              if (done.complete && done.refused === 0) changed(`${datesText(done.changed)} changed.`);
              else setShown({ body, answer: done });
            }}
          />
        )}
        <button type="button" onClick={() => setShown(null)}>
          Back to the form
        </button>
      </section>
    );
  }
  return (
    <section class="change">
      <h3>Change</h3>
      <Form
        submit="Show what changes"
        send={async (values) => {
          const body = bodyOf(values);
          setShown({ body, answer: await put({ ...body, dry_run: true }) });
        }}
      >
        <div class="inline">
          <Field
            key={capacity}
            label="Capacity"
            name="capacity"
            type="number"
            min={0}
            max={100_000}
            value={capacity}
            hint={present === null ? 'Empty: as it is.' : `Now ${present.capacity}. Empty: as it is.`}
          />
          {present !== null && (
            <button type="button" onClick={() => setCapacity(String(present.capacity + MORE_PLACES))}>
              {MORE_PLACES} more places
            </button>
          )}
        </div>
        <Field
          label={`Price in ${currency}`}
          name="price"
          type="number"
          min={0}
          step="any"
          hint={present?.price == null ? 'Empty: as it is.' : `Now ${present.price}. Empty: as it is.`}
        />
        <div class="inline">
          <Field label="Flash deal, percent off" name="discount_percent" type="number" min={30} max={50} />
          <Field label="Until" name="until" type="time" hint="Local time of each date. Empty: the last entry." />
        </div>
        <div class="inline">
          <Field label="First date" name="from" type="date" value={from} required />
          <Field label="Last date" name="to" type="date" value={from} required />
        </div>
        <details>
          <summary>Only some weekdays, or back to the schedule</summary>
          <Boxes
            legend="Only on"
            name="weekdays"
            checked={[]}
            choices={WEEKDAYS.map((value) => ({ value, title: DAYS[value] }))}
          />
          <Boxes
            legend="Take back"
            name="back"
            checked={[]}
            choices={[
              { value: 'capacity', title: 'Capacity: that of the schedule' },
              { value: 'price', title: 'Price: that of the schedule' },
              { value: 'flash_deal', title: 'Flash deal: none' },
            ]}
          />
        </details>
      </Form>
    </section>
  );
}

function bodyOf(values: Values): Body {
  const back = (values['back'] ?? '').split(',');
  const { from = '', to = from, capacity, price, discount_percent: percent, until, weekdays } = values;
  return {
    from,
    to,
    ...(weekdays !== undefined && { weekdays: WEEKDAYS.filter((day) => weekdays.split(',').includes(day)) }),
    ...(back.includes('capacity') ? { capacity: null } : capacity !== undefined && { capacity: Number(capacity) }),
    ...(back.includes('price') ? { price: null } : price !== undefined && { price: Number(price) }),
    ...(back.includes('flash_deal')
      ? { flash_deal: null }
      : percent !== undefined && {
          flash_deal: { discount_percent: Number(percent), ...(until !== undefined && { until }) },
        }),
  };
}

function datesText(dates: number): string {
  return dates === 1 ? '1 date' : `${dates.toLocaleString('en')} dates`;
}

function summaryOf({ dry_run: dryRun, changed, refused, dates, complete }: Range): string {
  const closed = dates.filter(({ result }) => result === 'closed').length;
  return [
    changed === 0 ? 'No date changes.' : `${datesText(changed)} ${dryRun ? 'would change' : 'changed'}.`,
    ...(refused > 0 ? [`${datesText(refused)} refused: see why below.`] : []),
    ...(closed > 0 ? [`Closed on ${datesText(closed)}.`] : []),
    ...(complete ? [] : ['Not all dates were done: send it again.']),
  ].join(' ');
}

const RESULTS: Readonly<Record<DateOfRange['result'], { readonly tone: Tone; readonly text: string }>> = {
  changed: { tone: 'good', text: 'Changed' },
  unchanged: { tone: 'plain', text: 'Already so' },
  closed: { tone: 'plain', text: 'Closed' },
  refused: { tone: 'bad', text: 'Refused' },
  not_done: { tone: 'warn', text: 'Not done' },
};

function Results({ answer, currency }: { readonly answer: Range; readonly currency: string }) {
  const between = (one: string | null, other: string | null): string =>
    one === null || one === other ? (other ?? '') : `${one} → ${other}`;
  const priceOf = (terms: DateOfRange['after']): string | null => terms && money(terms.price, currency);
  const dealOf = (terms: DateOfRange['after']): string | null =>
    terms && (terms.flash_deal === null ? 'none' : `${terms.flash_deal.discount_percent}% off`);
  return (
    <div class="results">
      <Table
        caption="Each date"
        rows={answer.dates}
        keyOf={({ date }) => date}
        columns={[
          { title: 'Date', cell: ({ date }) => shortDate(date) },
          {
            title: 'Result',
            cell: ({ result, why }) => (
              <>
                <Badge tone={RESULTS[result].tone}>
                  {answer.dry_run && result === 'changed' ? 'Changes' : RESULTS[result].text}
                </Badge>{' '}
                {why}
              </>
            ),
          },
          {
            title: 'Capacity',
            cell: ({ before, after }) => between(before && String(before.capacity), after && String(after.capacity)),
          },
          { title: 'Price', cell: ({ before, after }) => between(priceOf(before), priceOf(after)) },
          { title: 'Deal', cell: ({ before, after }) => between(dealOf(before), dealOf(after)) },
        ]}
      />
    </div>
  );
}
