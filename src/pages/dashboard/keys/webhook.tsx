import { useState } from 'preact/hooks';
import { ActionButton } from '../components/dialog.tsx';
import { Done, Facts, Section } from '../components/page.tsx';
import { Secret, When } from '../components/values.tsx';
import { ReceiverState } from '../webhooks/receiver-state.tsx';
import type { OneKey, OwnKey } from './types.ts';

type Receiving = Pick<OneKey & OwnKey, 'webhook_url' | 'webhook_events' | 'webhook' | 'previous_secret_signs_until'>;

/** The receiver of a key, and the secret that signs its events. */
export function WebhookOf({
  of: { webhook_url, webhook_events, webhook, previous_secret_signs_until: until },
  rotate,
  finish,
  changed,
}: {
  readonly of: Receiving;
  readonly rotate: (() => Promise<{ readonly webhook_secret: string }>) | undefined;
  readonly finish: (() => Promise<unknown>) | undefined;
  readonly changed: () => void;
}) {
  const [secret, setSecret] = useState<string | null>(null);
  const [done, setDone] = useState('');
  return (
    <Section
      title="Webhook"
      actions={
        <>
          {rotate !== undefined && (
            <ActionButton
              label="Replace the secret"
              title="Replace the webhook secret"
              submit="Replace"
              send={async () => {
                setSecret((await rotate()).webhook_secret);
                setDone('There is a new webhook secret.');
                changed();
              }}
            >
              <p>
                The new secret is shown once. Both secrets sign for 24 hours, so that the receiver can change over. A
                secret that was replaced earlier stops at once.
              </p>
            </ActionButton>
          )}
          {finish !== undefined && until !== null && (
            <ActionButton
              label="End the old secret"
              title="End the old webhook secret"
              submit="End it"
              tone="danger"
              send={async () => {
                await finish();
                setDone('Only the new webhook secret signs.');
                changed();
              }}
            >
              <p>From now on only the new secret signs. A receiver that knows only the old one refuses every event.</p>
            </ActionButton>
          )}
        </>
      }
    >
      <Done>{done}</Done>
      {secret !== null && <Secret label="New webhook secret." value={secret} />}
      {until !== null && (
        <p class="notice info">
          <span>
            The old secret signs too until <When at={until} />.
          </span>
        </p>
      )}
      <Facts
        of={{
          URL: webhook_url === null ? 'none' : <code>{webhook_url}</code>,
          Events: webhook_events.length === 0 ? 'none' : webhook_events.join(', '),
          // Without a URL there can be the state of an earlier one.
          Receiver:
            webhook_url === null && webhook.failing_since === null && webhook.suspended_since === null ? null : (
              <ReceiverState of={webhook} />
            ),
        }}
      />
    </Section>
  );
}
