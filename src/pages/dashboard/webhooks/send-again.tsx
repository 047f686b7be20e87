import { useState } from 'preact/hooks';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { ApiError, api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Boxes, choicesOf, Field, instantIn, type Values } from '../components/form.tsx';
import { Done } from '../components/page.tsx';
import type { EventName } from './answers.ts';
import { isOperator } from './caller.ts';

/** In this order: a failed delivery that is sent again waits for its next attempt if that fails, too. */
const UNDELIVERED = [
  { value: 'retrying', title: 'Deliveries that wait for their next attempt' },
  { value: 'failed', title: 'Deliveries that failed for good' },
] as const;

/** What all requests of one action have done together. */
type Sent = { readonly count: number; readonly suspended: number };

/** Buttons that send many deliveries again. Each dialog says what it will do. */
export function SendAgain({ keyId }: { readonly keyId: string }) {
  const [said, setSaid] = useState('');
  return (
    <>
      <Done>{said}</Done>
      <p>
        After an outage of the receiver: send what did not arrive. After a loss of its data: send everything of a
        period.
      </p>
      <div class="actions">
        <ActionButton
          label="Send what did not arrive"
          submit="Send them again"
          send={async (values, key) => setSaid(recovered(await recover(values, key)))}
        >
          <p>
            Each of these deliveries that was scheduled since this time gets one more round of attempts: now, and then
            with the usual pauses. It keeps its id. Those of suspended receivers are left out.
          </p>
          {isOperator() && <KeyField value={keyId} />}
          <Boxes legend="Which" name="status" choices={UNDELIVERED} checked={UNDELIVERED.map(({ value }) => value)} />
          <TimeField label="Scheduled since" name="since" />
        </ActionButton>
        <ActionButton
          label="Replay a period"
          submit="Send all events of the period"
          send={async (values, key) => setSaid(replayed(await replay(values, key)))}
        >
          <p>
            Every event of the period is sent again as a new delivery, also one that arrived before or had no receiver
            then. It has its old id, so a receiver that stores each id once does nothing twice.
          </p>
          {isOperator() && <KeyField value={keyId} />}
          <TimeField label="Happened since" name="from" />
          <Field label="Until (UTC)" name="to" type="datetime-local" hint="Empty: until now." />
          <Boxes
            legend="Events (none: those that the key listens for)"
            name="events"
            choices={choicesOf(WEBHOOK_EVENTS)}
            checked={[]}
          />
        </ActionButton>
      </div>
    </>
  );
}

function KeyField({ value }: { readonly value: string }) {
  return <Field label="API key (id)" name="key" value={value} required placeholder="key_…" />;
}

function TimeField({ label, name }: { readonly label: string; readonly name: string }) {
  return <Field label={`${label} (UTC)`} name={name} type="datetime-local" required />;
}

/** @param idempotencyKey one for all pages: the service sends each delivery at most once for it, on whatever page it is */
async function recover({ since = '', status = '', key }: Values, idempotencyKey: string): Promise<Sent> {
  const headers = { 'idempotency-key': idempotencyKey };
  const chosen = UNDELIVERED.filter(({ value }) => status.split(',').includes(value));
  if (chosen.length === 0) throw new Error('Choose which deliveries are sent again.');
  const sent = { count: 0, suspended: 0 };
  for (const { value } of chosen) {
    const body = { since: instantIn(since), status: value, ...(key !== undefined && { key }) };
    const some = await allPages(async (cursor) => {
      const page = await read(api.webhooks.recover.post({ ...body, ...(cursor && { cursor }) }, { headers }));
      return { ...page, count: page.resent };
    });
    sent.count += some.count;
    sent.suspended += some.suspended;
  }
  return sent;
}

/** @param idempotencyKey as of `recover` */
async function replay({ from = '', to, events, key }: Values, idempotencyKey: string): Promise<Sent> {
  const headers = { 'idempotency-key': idempotencyKey };
  const body = {
    from: instantIn(from),
    ...(to !== undefined && { to: instantIn(to) }),
    ...(events !== undefined && { events: events.split(',') as EventName[] }),
    ...(key !== undefined && { key }),
  };
  return allPages(async (cursor) => {
    const page = await read(api.webhooks.replay.post({ ...body, ...(cursor && { cursor }) }, { headers }));
    return { ...page, count: page.scheduled };
  });
}

/**
 * One request sends at most 500.
 *
 * @throws ApiError that says how many were sent before
 */
async function allPages(
  send: (cursor: string | null) => Promise<Sent & { readonly next_cursor: string | null }>,
): Promise<Sent> {
  const sent = { count: 0, suspended: 0 };
  let cursor: string | null = null;
  do {
    const page: Sent & { readonly next_cursor: string | null } = await send(cursor).catch((fault: unknown) => {
      throw afterSome(fault, sent.count);
    });
    sent.count += page.count;
    sent.suspended += page.suspended;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return sent;
}

function afterSome(fault: unknown, count: number): unknown {
  if (count === 0 || !(fault instanceof ApiError)) return fault;
  const { message, status, code, details } = fault;
  const before = `${count.toLocaleString('en')} ${count === 1 ? 'is' : 'are'} sent again, the others not yet`;
  return new ApiError(
    `${before}: ${message} Send once more for the others; none is sent twice.`,
    status,
    code,
    details,
  );
}

function recovered({ count, suspended }: Sent): string {
  if (count + suspended === 0) return 'Nothing was to be sent: no such delivery was scheduled since then.';
  return `${count === 1 ? '1 delivery is' : `${count} deliveries are`} sent again.${leftOut(suspended)}`;
}

function replayed({ count, suspended }: Sent): string {
  return `${count === 1 ? '1 event is' : `${count} events are`} sent again.${leftOut(suspended)}`;
}

function leftOut(suspended: number): string {
  return suspended === 0 ? '' : ` ${suspended} left out: the receiver is suspended. Enable it under Receivers first.`;
}
