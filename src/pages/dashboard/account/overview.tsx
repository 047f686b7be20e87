import { api, read } from '../client.ts';
import { Badge, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { When } from '../components/values.tsx';
import { KeyState } from '../keys/list.tsx';
import type { OwnKey } from '../keys/types.ts';
import { LimitsOf, UseOf } from '../keys/use.tsx';
import { WebhookOf } from '../keys/webhook.tsx';
import { useAnswer } from '../use-answer.ts';

export function AccountPage() {
  const {
    answer: key,
    fault,
    reload,
  } = useAnswer(() => read(api.keys.self.get()), [], {
    live: ['keys', 'bookings', 'endpoints'],
  });
  return (
    <Page title="Your key">
      <Fault of={fault} retry={reload} />
      {key === undefined && fault === null && <Loading />}
      {key !== undefined && <Overview of={key} changed={reload} />}
    </Page>
  );
}

function Overview({ of: key, changed }: { readonly of: OwnKey; readonly changed: () => void }) {
  const mayManage = key.permissions.includes('webhook');
  return (
    <>
      <Section title={key.name}>
        <Facts
          of={{
            Prefix: <code>{key.prefix}</code>,
            State: <KeyState of={key} />,
            Plan: key.plan,
            Permissions: key.permissions.join(', '),
            Created: <When at={key.created_at} />,
            Expires: <When at={key.expires_at} />,
            Contact: key.contact_email ?? 'none',
            Addresses: key.ip_allowlist?.join(', ') ?? 'all',
          }}
        />
        {key.previous !== null && (
          <p class="notice info">
            <span>
              The old value <code>{key.previous.prefix}</code> works until <When at={key.previous.works_until} />.
            </span>
          </p>
        )}
      </Section>
      <Mode of={key} />
      <UseOf of={key} />
      <LimitsOf of={key} />
      <WebhookOf
        of={key}
        rotate={mayManage ? () => read(api.keys.self.webhook_secret.rotate.post()) : undefined}
        finish={mayManage ? () => read(api.keys.self.webhook_secret.rotate.finish.post()) : undefined}
        changed={changed}
      />
    </>
  );
}

function Mode({ of: { mode, contact_email } }: { readonly of: OwnKey }) {
  if (mode === 'live') {
    return (
      <Section title="Mode">
        <p>
          <Badge tone="good">live</Badge> Bookings are real and charged. To try every operation without them, ask the
          operator for a key of the mode test.
        </p>
      </Section>
    );
  }
  return (
    <Section title="Mode">
      <p>
        <Badge tone="info">test</Badge> Nothing is real, and nothing is charged.
      </p>
      <ul class="list">
        <li>
          Bookings take capacity of their own, which is full again each day. Ids begin with bk_test_, vouchers with WT-.
        </li>
        <li>Statements, reports and rankings count no test booking. Gates do not know test vouchers.</li>
        <li>
          Mails go to the contact address only
          {contact_email === null
            ? ': this key has none, so no mail is sent.'
            : `, ${contact_email}, with [TEST] before the subject.`}
        </li>
        <li>Webhooks carry test: true. The mode of a key never changes: for real bookings use a live key.</li>
      </ul>
    </Section>
  );
}
