import { useState } from 'preact/hooks';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Boxes, choicesOf, Field, FilterForm, type Values } from '../components/form.tsx';
import { Badge, Done, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { may } from '../session.ts';
import { useAnswer, usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import type { EventName, Receiver } from './answers.ts';
import { isOperator } from './caller.ts';
import { adviceForError } from './explanation.ts';
import { LastFailure } from './last-failure.tsx';
import { ReceiverState } from './receiver-state.tsx';
import { TestReceiver } from './test-receiver.tsx';

/** The owner's receiver and its test; and the receivers that fail or are suspended, of operators those of all keys. */
export function ReceiversPage() {
  const [query, change] = useQuery();
  const keyId = query['key'] ?? '';
  return (
    <Page title={isOperator() ? 'Webhook receivers' : 'Your webhook receiver'}>
      {isOperator() ? (
        <FilterForm names={['key']} query={[query, change]}>
          <Field label="API key (id)" name="key" value={keyId} placeholder="key_…" />
        </FilterForm>
      ) : (
        <OwnReceiver />
      )}
      <Failing keyId={keyId} />
      {may('test_webhook') && <TestReceiver keyId={keyId} />}
    </Page>
  );
}

function OwnReceiver() {
  const [said, setSaid] = useState('');
  const { answer, fault, reload } = useAnswer(() => read(api.keys.self.get()), [], { live: ['endpoints', 'keys'] });
  const change = async ({ webhook_url = '', events }: Values): Promise<void> => {
    const webhook_events = (events?.split(',') ?? []) as EventName[];
    await read(api.keys.self.patch({ webhook_url: webhook_url === '' ? null : webhook_url, webhook_events }));
    setSaid(
      webhook_url === ''
        ? 'Saved. Nothing is sent, except to the URLs of bookings.'
        : `Saved. Events that happen from now on are sent to ${webhook_url}.`,
    );
    reload();
  };
  if (answer === undefined) return fault === null ? <Loading /> : <Fault of={fault} retry={reload} />;
  const { webhook_url: url, webhook_events: events, webhook } = answer;
  return (
    <Section
      title="URL and events"
      actions={
        <ActionButton label="Change" title="Change URL and events" submit="Save" send={change}>
          <p>Events that happen from now on follow the change. A retry uses the new URL too.</p>
          <Field
            label="URL"
            name="webhook_url"
            type="url"
            value={url ?? ''}
            hint="https:// with a valid certificate, at a public address. Empty: the key has no receiver."
          />
          <Boxes legend="Events" name="events" choices={choicesOf(WEBHOOK_EVENTS)} checked={events} />
        </ActionButton>
      }
    >
      <Done>{said}</Done>
      <Facts
        of={{
          URL: url === null ? 'none: events of this key are not sent' : <code>{url}</code>,
          Events: events.length === WEBHOOK_EVENTS.length ? 'all' : events.join(', ') || 'none',
          State: <ReceiverState of={webhook} />,
          Secret: (
            <span>
              shown once, when it was issued; a lost one can be replaced on the{' '}
              <a href="/dashboard/my/key">page of your key</a>
            </span>
          ),
        }}
      />
      <LastFailure failing={webhook.failing_since !== null} />
    </Section>
  );
}

function Failing({ keyId }: { readonly keyId: string }) {
  const [said, setSaid] = useState('');
  const pages = usePages<Receiver>(
    (cursor) =>
      read(api.webhooks.receivers.get({ query: { ...(keyId && { key: keyId }), ...(cursor && { cursor }) } })),
    [keyId],
    { live: ['endpoints'] },
  );
  const enabled = async (receiver: Receiver): Promise<void> => {
    const { urls_of: kind, origin, key_id: key } = receiver;
    const body = { ...(isOperator() && { key }), ...(kind === 'booking' && { webhook_url: origin }) };
    await read(api.webhooks.enable.post(body));
    setSaid(
      `${origin} is enabled: events that happen from now on are sent. Send those that failed under Deliveries, “Send what did not arrive”.`,
    );
    pages.reload();
  };
  return (
    <Section title="Failing and suspended receivers">
      <p>
        A receiver that acknowledges nothing for days is suspended: the service sends nothing there until it is enabled.
        The list has a receiver about a minute after its first failure, until seconds after it acknowledges an event: an
        event that happens, or a delivery that is sent again. A test does not count.
      </p>
      <Done>{said}</Done>
      <PagedTable
        pages={pages}
        caption="Receivers that fail or are suspended"
        empty="Every receiver acknowledged its last event."
        columns={columnsFor(enabled)}
        keyOf={({ receiver_id }) => receiver_id}
      />
    </Section>
  );
}

function columnsFor(enable: (receiver: Receiver) => Promise<void>): readonly Column<Receiver>[] {
  return [
    {
      title: 'Receiver',
      cell: ({ origin, urls_of: kind }) => (
        <span>
          <code>{origin}</code> <span class="soft whole">{kind === 'key' ? 'URL of the key' : 'URLs of bookings'}</span>
        </span>
      ),
    },
    ...(isOperator()
      ? [
          {
            title: 'API key',
            cell: ({ key_id }: Receiver) => <KeyName id={key_id} />,
          },
        ]
      : []),
    { title: 'State', cell: (receiver) => <StateOf receiver={receiver} /> },
    { title: 'Failing since', cell: ({ failing_since: at }) => <When at={at} short /> },
    { title: 'Last error', cell: (receiver) => <LastError of={receiver} /> },
    {
      title: 'Repair',
      cell: (receiver) =>
        receiver.status === 'suspended' &&
        receiver.in_use &&
        may('enable_webhook') && (
          <ActionButton label="Enable" title="Enable this receiver" submit="Enable it" send={() => enable(receiver)}>
            <p>
              The service sends events to <code>{receiver.origin}</code> again, from now on. Test the receiver first: if
              it still fails, it is suspended again after some days.
            </p>
          </ActionButton>
        ),
    },
  ];
}

/** The service keeps it of a suspended receiver; the deliveries have that of a failing one. */
function LastError({ of: { error, key_id: key } }: { readonly of: Receiver }) {
  const href = `/dashboard/webhooks/deliveries${isOperator() ? `?key=${key}` : ''}`;
  return (
    <span class="stack">
      {error !== null && <span class="whole">{error}</span>}
      {error !== null && <small class="soft advice">{adviceForError(error)}</small>}
      <a href={href}>{error === null ? 'See the deliveries' : 'Deliveries'}</a>
    </span>
  );
}

function StateOf({ receiver: { status, suspended_since: since, in_use: used } }: { readonly receiver: Receiver }) {
  if (!used) return <Badge>earlier URL</Badge>;
  if (status === 'failing') return <Badge tone="warn">failing</Badge>;
  return (
    <span>
      <Badge tone="bad">suspended</Badge> <When at={since} short />
    </span>
  );
}
