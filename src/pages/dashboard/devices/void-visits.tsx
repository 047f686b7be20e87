import { useEffect, useState } from 'preact/hooks';
import { addDays, midnightMs, parseLocalDate } from '../../../domain/activity/schedule.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, instantIn, type Values } from '../components/form.tsx';
import { type Acting, nameOf, Reason } from './acting.tsx';
import type { DeviceDay } from './answers.ts';

/** A request voids at most 500 visits: so many requests void all that a device can have recorded in years. */
const MOST_REQUESTS = 1_000;

/** `day`: as the fields are at first. `period`: as somebody has filled them in. `all`: from the first scan to the latest. */
type Span = 'day' | 'period' | 'all';

/**
 * Takes recorded visits back, in as many requests as it needs.
 *
 * @param day a day of the device, whose visits are meant; null if none is
 */
export function VoidButton({ device, day, done }: Acting & { readonly day: DeviceDay | null }) {
  const { device_id } = device;
  const [voided, setVoided] = useState(0);
  const first: Span = day === null || day.city === null ? 'period' : 'day';
  const [span, setSpan] = useState<Span>(first);
  const send = async ({ from, to, reason = '' }: Values): Promise<void> => {
    const period = { ...(from && { from: instantIn(from) }), ...(to && { to: instantIn(to) }) };
    let count = 0;
    for (let request = 0; request < MOST_REQUESTS; request++) {
      const answer = await read(api.visits.void.post({ device_id, reason, ...(span !== 'all' && period) }));
      count += answer.voided;
      setVoided(count);
      if (answer.complete) break;
    }
    setVoided(0);
    done(`${visits(count)} of ${nameOf(device)} ${count === 1 ? 'is' : 'are'} voided.`);
  };
  return (
    <ActionButton
      label="Void visits"
      title={`Void visits of ${nameOf(device)}`}
      submit={submitOf(span, day, nameOf(device))}
      tone="danger"
      send={send}
    >
      <p>
        The visits that this device scanned in the time below are taken back: rankings, reports and bookings follow. No
        money moves, and the vouchers can be verified again.
      </p>
      <SpanFields day={day} first={first} span={span} setSpan={setSpan} />
      <Reason required />
      {voided > 0 && <p role="status">{visits(voided)} voided so far.</p>}
    </ActionButton>
  );
}

/** Without a day, somebody must say from when, or that all scans are meant. */
function SpanFields({
  day,
  first,
  span,
  setSpan,
}: {
  readonly day: DeviceDay | null;
  readonly first: Span;
  readonly span: Span;
  readonly setSpan: (span: Span) => void;
}) {
  // The next opening of the dialog begins as this one.
  useEffect(() => () => setSpan(first), []);
  const edited = { onInput: () => setSpan('period') };
  const [from = '', to = ''] = day === null ? [] : boundsOf(day);
  return (
    <>
      {span !== 'all' && (
        <>
          <Field
            label="Scans since (UTC)"
            name="from"
            type="datetime-local"
            value={from}
            required
            hint={from === '' ? 'Or choose all scans below.' : `${day?.day} begins then at the venue.`}
            {...edited}
          />
          <Field
            label="Scans before (UTC)"
            name="to"
            type="datetime-local"
            value={to}
            hint="Empty: to the latest scan."
            {...edited}
          />
        </>
      )}
      <label class="box">
        <input
          type="checkbox"
          checked={span === 'all'}
          onChange={({ currentTarget }) => setSpan(currentTarget.checked ? 'all' : first)}
        />{' '}
        All scans of this device, from the first to the latest
      </label>
    </>
  );
}

/** The midnights of the day at its venue, as the fields take them. */
function boundsOf({ city, day }: DeviceDay): readonly string[] {
  const date = parseLocalDate(day);
  if (city === null || date === null) return [];
  return [date, addDays(date, 1)].map((each) =>
    new Date(midnightMs(city, each)).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length),
  );
}

function submitOf(span: Span, day: DeviceDay | null, device: string): string {
  if (span === 'all') return `Void all visits of ${device}`;
  const left = span === 'day' && day !== null ? day.visits - day.voided : 0;
  return left > 0 ? `Void ${visits(left)} of ${day?.day}` : 'Void the visits of this time';
}

function visits(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'visit' : 'visits'}`;
}
