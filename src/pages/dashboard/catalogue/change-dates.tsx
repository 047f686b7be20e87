import { useEffect, useRef, useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { Boxes, Field, Form, type Values } from '../components/form.tsx';
import type { DateOfRow, Row } from './calendar-date.ts';
import { changesText, datesText, type Range, RangeResults } from './range-results.tsx';
import { WEEK, WEEKDAY_NAMES } from './weekdays.ts';

const allotmentsOf = (activityId: string) => api.activities({ activity_id: activityId }).allotments;
type Body = Parameters<ReturnType<typeof allotmentsOf>['put']>[0];

const MORE_PLACES = 10;
/** The fields of which at least one is needed. */
const CHANGES = ['capacity', 'price', 'discount_percent', 'back'] as const;

/** A form for one date or a range. It shows what would change, and changes it after a second click. */
export function ChangeDates({
  row: { activity_id: activityId, title },
  currency,
  from,
  present,
  changed,
}: {
  readonly row: Pick<Row, 'activity_id' | 'title'>;
  readonly currency: string;
  /** `YYYY-MM-DD` */
  readonly from: string;
  /** What is set now on the first date. */
  readonly present: DateOfRow;
  readonly changed: (message: string) => void;
}) {
  const [shown, setShown] = useState<Shown | null>(null);
  const put = (body: Body): Promise<Range> => read(allotmentsOf(activityId).put(body));
  return (
    <>
      {/* Hidden, it keeps what was entered for the way back. */}
      <div hidden={shown !== null}>
        <RangeForm
          currency={currency}
          from={from}
          present={present}
          send={async (body) => setShown({ body, answer: await put({ ...body, dry_run: true }) })}
        />
      </div>
      {shown !== null && (
        <Preview
          of={shown}
          currency={currency}
          back={() => setShown(null)}
          send={async () => {
            const { body, answer: preview } = shown;
            const done = await put({ ...body, dry_run: false });
            if (!done.complete || done.refused > 0) return setShown({ body, answer: done });
            changed(`${datesText(done.changed)} changed. ${changesText(done, preview, title, currency)}`.trim());
          }}
        />
      )}
    </>
  );
}

type Shown = { readonly body: Body; readonly answer: Range };

function Preview({
  of: { answer },
  currency,
  back,
  send,
}: {
  readonly of: Shown;
  readonly currency: string;
  readonly back: () => void;
  readonly send: () => Promise<void>;
}) {
  const { changed: dates, dry_run: dryRun, complete } = answer;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The form, which had the focus, is hidden now. On a phone the button that confirms is to be in sight.
    heading.current?.focus({ preventScroll: true });
    heading.current?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [answer]);
  return (
    <section class="change">
      <h3 ref={heading} tabIndex={-1}>
        {dryRun ? 'What would change' : 'What has changed'}
      </h3>
      <RangeResults answer={answer} currency={currency} />
      <div class="actions">
        {(dryRun ? dates > 0 : !complete) && (
          <Form submit={dryRun ? `Change ${datesText(dates)}` : 'Send again'} send={send} />
        )}
        <button type="button" onClick={back}>
          Back to the form
        </button>
      </div>
    </section>
  );
}

function RangeForm({
  currency,
  from,
  present,
  send,
}: {
  readonly currency: string;
  readonly from: string;
  readonly present: DateOfRow;
  readonly send: (body: Body) => Promise<void>;
}) {
  return (
    <section class="change">
      <h3>Change</h3>
      <Form submit="Show what changes" send={(values) => send(bodyOf(values))}>
        <div class="inline">
          <Field
            label="Capacity"
            name="capacity"
            type="number"
            min={0}
            max={100_000}
            hint={`Now ${present.capacity}. Empty: as it is.`}
          />
          <button type="button" onClick={({ currentTarget }) => morePlaces(currentTarget.form, present.capacity)}>
            {MORE_PLACES} more places
          </button>
        </div>
        <Field
          label={`Price in ${currency}`}
          name="price"
          type="number"
          min={0}
          step="any"
          hint={`Now ${present.price}. Empty: as it is.`}
        />
        <div class="inline">
          <Field label="Flash deal, percent off" name="discount_percent" type="number" min={30} max={50} />
          <Field label="Until (local time)" name="until" type="time" hint="On each date. Empty: the last entry." />
        </div>
        <div class="inline">
          <Field label="First date" name="from" type="date" value={from} required />
          <Field label="Last date" name="to" type="date" value={from} required />
        </div>
        <div class="weekdays">
          <Boxes
            legend="Only on (none: every day)"
            name="weekdays"
            checked={[]}
            choices={WEEK.map((value) => ({ value, title: WEEKDAY_NAMES[value].slice(0, 3) }))}
          />
        </div>
        <BackToSchedule />
      </Form>
    </section>
  );
}

/** Adds to the capacity that was entered, to the present one if none was, and shows what changes: a tap and its confirmation. */
function morePlaces(form: HTMLFormElement | null, present: number): void {
  const field = form?.elements.namedItem('capacity');
  if (!(field instanceof HTMLInputElement)) return;
  field.value = String((field.value === '' ? present : Number(field.value)) + MORE_PLACES);
  form?.requestSubmit();
}

function BackToSchedule() {
  return (
    <details>
      <summary>Take back to the schedule</summary>
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
  );
}

/** @throws if nothing is to change */
function bodyOf(values: Values): Body {
  if (CHANGES.every((name) => values[name] === undefined)) throw new Error('Enter a capacity, a price or a deal.');
  const back = (values['back'] ?? '').split(',');
  const { from = '', to = from, capacity, price, discount_percent: percent, until, weekdays } = values;
  return {
    from,
    to,
    ...(weekdays !== undefined && { weekdays: WEEK.filter((day) => weekdays.split(',').includes(day)) }),
    ...(back.includes('capacity') ? { capacity: null } : capacity !== undefined && { capacity: Number(capacity) }),
    ...(back.includes('price') ? { price: null } : price !== undefined && { price: Number(price) }),
    ...(back.includes('flash_deal')
      ? { flash_deal: null }
      : percent !== undefined && {
          flash_deal: { discount_percent: Number(percent), ...(until !== undefined && { until }) },
        }),
  };
}
