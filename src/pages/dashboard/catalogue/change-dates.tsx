import { useState } from 'preact/hooks';
import { WEEKDAYS } from '../../../domain/activity/vocabulary.ts';
import { api, read } from '../client.ts';
import { Boxes, Field, Form, type Values } from '../components/form.tsx';
import type { DateOfRow } from './calendar-date.ts';
import { datesText, type Range, RangeResults } from './range-results.tsx';
import { WEEKDAY_NAMES } from './weekdays.ts';

const allotmentsOf = (activityId: string) => api.activities({ activity_id: activityId }).allotments;
type Body = Parameters<ReturnType<typeof allotmentsOf>['put']>[0];

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
  /** What is set now on the first date. */
  readonly present: DateOfRow;
  readonly changed: (message: string) => void;
}) {
  const [shown, setShown] = useState<Shown | null>(null);
  const put = (body: Body): Promise<Range> => read(allotmentsOf(activityId).put(body));
  if (shown === null)
    return (
      <RangeForm
        currency={currency}
        from={from}
        present={present}
        send={async (body) => setShown({ body, answer: await put({ ...body, dry_run: true }) })}
      />
    );
  const { body, answer } = shown;
  const { changed: dates, dry_run: dryRun, complete } = answer;
  return (
    <section class="change">
      <h3>{dryRun ? 'What would change' : 'What has changed'}</h3>
      <RangeResults answer={answer} currency={currency} />
      {(dryRun ? dates > 0 : !complete) && (
        <Form
          submit={dryRun ? `Change ${datesText(dates)}` : 'Send again'}
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

type Shown = { readonly body: Body; readonly answer: Range };

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
  const [capacity, setCapacity] = useState('');
  return (
    <section class="change">
      <h3>Change</h3>
      <Form submit="Show what changes" send={(values) => send(bodyOf(values))}>
        <div class="inline">
          <Field
            key={capacity}
            label="Capacity"
            name="capacity"
            type="number"
            min={0}
            max={100_000}
            value={capacity}
            hint={`Now ${present.capacity}. Empty: as it is.`}
          />
          <button type="button" onClick={() => setCapacity(String(present.capacity + MORE_PLACES))}>
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
        <RareChoices />
      </Form>
    </section>
  );
}

function RareChoices() {
  return (
    <details>
      <summary>Only some weekdays, or back to the schedule</summary>
      <Boxes
        legend="Only on"
        name="weekdays"
        checked={[]}
        choices={WEEKDAYS.map((value) => ({ value, title: WEEKDAY_NAMES[value] }))}
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
