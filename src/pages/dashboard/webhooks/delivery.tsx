import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { api, read } from '../client.ts';
import { Changed } from '../components/changed.tsx';
import { ActionButton } from '../components/dialog.tsx';
import { Badge, Done, Empty, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Code, Copy, When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { useLive } from '../live.ts';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import type { Attempt, Delivery } from './answers.ts';
import { BookingLink } from './booking-link.tsx';
import { isOperator } from './caller.ts';
import { StatusBadge } from './deliveries.tsx';
import { adviceFor, mayBeSignature, outcomeOf } from './explanation.ts';
import { SignatureCheck } from './signature-check.tsx';

const LIVE = ['deliveries'];

/** What was sent, what the receiver answered, why, and the button that sends it again. */
export function DeliveryPage() {
  const id = useRoute().params['id'] ?? '';
  const [said, setSaid] = useState('');
  const { answer, fault, reload } = useAnswer(() => read(api.webhooks.deliveries({ id }).get()), [id], {
    live: isOperator() ? [] : LIVE,
  });
  // An operator's read of a delivery is a recorded read of a guest: the page makes none that the operator did not ask for.
  const [changed, setChanged] = useState(false);
  useLive(isOperator() ? LIVE : [], () => setChanged(true));
  const show = (): void => {
    setChanged(false);
    reload();
  };
  const resend = async (key: string): Promise<void> => {
    await read(api.webhooks.deliveries({ id }).resend.post({}, { headers: { 'idempotency-key': key } }));
    setSaid('It is sent again now. The attempt appears below when it has ended.');
    show();
  };
  return (
    <Page
      title={answer === undefined ? 'Delivery' : `Delivery of ${answer.event}`}
      actions={answer !== undefined && may('resend_delivery') && <Resend of={answer} send={resend} />}
    >
      <p>
        <a href="/dashboard/webhooks/deliveries">All deliveries</a>
      </p>
      <Fault of={fault} retry={show} />
      {changed && <Changed what="Deliveries have changed since, perhaps this one." show={show} />}
      <Done>{said}</Done>
      {answer === undefined ? fault === null && <Loading /> : <Shown delivery={answer} />}
    </Page>
  );
}

function Resend({
  of: { url, event },
  send,
}: {
  readonly of: Delivery;
  readonly send: (key: string) => Promise<void>;
}) {
  return (
    <ActionButton label="Send again" title="Send this delivery again" submit="Send it now" send={(_, key) => send(key)}>
      <p>
        The same <code>{event}</code>, with the same id and bytes, is sent now, to the present URL of its receiver
        {url !== null && (
          <>
            {' '}
            (at the last attempt <code>{url}</code>)
          </>
        )}
        , signed with the present secret.
      </p>
      <p class="soft">
        If the receiver does not acknowledge it, five retries follow: after 5 s, 30 s, 2 min, 10 min and 1 h.
      </p>
    </ActionButton>
  );
}

function Shown({ delivery }: { readonly delivery: Delivery }) {
  const last = delivery.attempts.at(-1);
  const advice = last === undefined || delivery.status === 'success' ? null : adviceFor(last);
  const suspicious = advice !== null && last !== undefined && mayBeSignature(last);
  return (
    <>
      <Section title="What happened">
        <p>
          <StatusBadge of={delivery.status} /> {outcomeOf(delivery)}
        </p>
        {last !== undefined && last.error !== null && delivery.status !== 'success' && (
          <div class="notice warn">
            <p>
              <strong>Last answer: {last.error}.</strong> {advice}
            </p>
            {suspicious && isOperator() && (
              <p>The owner of the key can check the signature on this page: the secret is not shown to operators.</p>
            )}
          </div>
        )}
        {delivery.failed_because === 'suspended' && (
          <p>
            Repair the receiver, then enable it under <a href="/dashboard/webhooks/receivers">Receivers</a>.
          </p>
        )}
        <Facts
          of={{
            Receiver: delivery.url === null ? 'no URL' : <code>{delivery.url}</code>,
            Scheduled: <When at={delivery.scheduled_at} />,
            'Next attempt': delivery.next_attempt_at === null ? 'none' : <When at={delivery.next_attempt_at} />,
            Booking: <BookingLink of={delivery} />,
            'API key': isOperator() ? <KeyName id={delivery.key_id} /> : null,
            Kind: delivery.test === true ? <Badge>test</Badge> : null,
          }}
        />
      </Section>
      {suspicious && !isOperator() && (
        <Section title="Check the signature">
          <SignatureCheck delivery={delivery} />
        </Section>
      )}
      <Section title="What the receiver answered">
        {delivery.attempts.length === 0 ? (
          <Empty>No attempt was made.</Empty>
        ) : (
          <Table
            caption="Attempts, oldest first"
            columns={ATTEMPT_COLUMNS}
            rows={delivery.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
            keyOf={({ number }) => String(number)}
          />
        )}
        <p class="soft">Of an answer, the service stores the status only.</p>
      </Section>
      <Sent delivery={delivery} checks={!suspicious && !isOperator()} />
    </>
  );
}

const ATTEMPT_COLUMNS: readonly Column<Attempt & { readonly number: number }>[] = [
  { title: 'Attempt', cell: ({ number }) => number },
  { title: 'Ended', cell: ({ at }) => <When at={at} /> },
  { title: 'Status', cell: ({ response_code: code }) => code ?? 'no answer' },
  { title: 'Took', align: 'end', cell: ({ response_time_ms: ms }) => `${ms.toLocaleString('en')} ms` },
  { title: 'Result', cell: ({ error }) => error ?? 'acknowledged' },
];

/** @param checks whether the check of the signature stands here: after a refusal it stands where the refusal is shown */
function Sent({ delivery, checks }: { readonly delivery: Delivery; readonly checks: boolean }) {
  const body = JSON.stringify(delivery.payload);
  return (
    <Section title="What was sent">
      <p>A POST with these headers, the same in each attempt except for the time and what it is signed with:</p>
      <Facts
        of={{
          'Content-Type': <code>application/json</code>,
          'X-Service-Event': <code>{delivery.event}</code>,
          'X-Service-Delivery-Id': <code>{delivery.delivery_id}</code>,
          'X-Service-Signature': <code>sha256=…</code>,
          'webhook-id': <code>{delivery.event_id}</code>,
          'webhook-timestamp': 'seconds since 1970, of each attempt',
          'webhook-signature': <code>v1,…</code>,
        }}
      />
      <Code label="body" text={JSON.stringify(delivery.payload, null, 2)} />
      <p>
        The body is sent without these line breaks and spaces, and signed so.{' '}
        <Copy text={body} label="Copy it as sent" />
      </p>
      {checks && (
        <details>
          <summary>Compare the signature that your server computes</summary>
          <SignatureCheck delivery={delivery} />
        </details>
      )}
      <p>
        <a href="/dashboard/webhooks/verify">How to verify a signature, in TypeScript and Python</a>
      </p>
    </Section>
  );
}
