import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, Form } from '../components/form.tsx';
import { Done, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Secret, When } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { CommonFields, LimitFields } from './fields.tsx';
import { KeyState } from './list.tsx';
import { changesIn, textsOf } from './settings.ts';
import type { OneKey } from './types.ts';
import { LimitsOf, UseOf } from './use.tsx';
import { WebhookOf } from './webhook.tsx';

const MAX_OVERLAP_HOURS = 168;

export function KeyPage() {
  const { id = '' } = useRoute().params;
  const {
    answer: key,
    fault,
    reload,
  } = useAnswer(() => read(api.keys({ id }).get()), [id], { live: ['keys', 'endpoints'] });
  const [done, setDone] = useState('');
  /** Of the rotation that this page made. */
  const [value, setValue] = useState<string | null>(null);
  if (key === undefined) {
    return (
      <Page title="API key">
        <Fault of={fault} retry={reload} />
        {fault === null && <Loading />}
      </Page>
    );
  }
  const after = (text: string): void => {
    setDone(text);
    reload();
  };
  const rotate = async (hours: string): Promise<void> => {
    const rotated = await read(api.keys({ id }).rotate.post({ overlap_hours: Number(hours) }));
    setValue(rotated.key);
    after('The key has a new value.');
  };
  return (
    <Page title={key.name} actions={<KeyActions of={key} rotate={rotate} after={after} />}>
      <Fault of={fault} retry={reload} />
      <Done>{done}</Done>
      {value !== null && <Secret label="New API key." value={value} />}
      <Section title="Key">
        <Facts
          of={{
            Prefix: <code>{key.prefix}</code>,
            State: <KeyState of={key} />,
            Plan: key.plan,
            Permissions: key.permissions.join(', '),
            Created: <When at={key.created_at} />,
            Expires: <When at={key.expires_at} />,
            'Last use': <When at={key.last_used_at} />,
            Contact: key.contact_email,
            Addresses: key.ip_allowlist?.join(', ') ?? 'all',
            Hotels: key.hotel_ids.length === 0 ? 'none' : key.hotel_ids.join(', '),
            Id: <code>{key.id}</code>,
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
      <UseOf of={key} />
      <LimitsOf of={key} />
      <WebhookOf
        of={key}
        rotate={
          may('rotate_key_webhook_secret') ? () => read(api.keys({ id }).webhook_secret.rotate.post()) : undefined
        }
        finish={
          may('finish_key_webhook_secret_rotation')
            ? () => read(api.keys({ id }).webhook_secret.rotate.finish.post())
            : undefined
        }
        changed={reload}
      />
      {may('change_key') && <Change of={key} after={after} />}
    </Page>
  );
}

function KeyActions({
  of: { id, active, name },
  rotate,
  after,
}: {
  readonly of: OneKey;
  readonly rotate: (hours: string) => Promise<void>;
  readonly after: (text: string) => void;
}) {
  return (
    <>
      {may('rotate_key') && (
        <ActionButton
          label="Rotate"
          title={`Replace the value of ${name}`}
          submit="Rotate"
          send={({ overlap_hours = '0' }) => rotate(overlap_hours)}
        >
          <p>
            The new value is shown once. The present value works on for the overlap; a value that was replaced earlier
            stops at once.
          </p>
          <Field
            label="Overlap in hours"
            name="overlap_hours"
            type="number"
            value={24}
            min={0}
            max={MAX_OVERLAP_HOURS}
            step={1}
            required
            hint="0 ends the present value at once."
          />
        </ActionButton>
      )}
      {active && may('deactivate_key') && (
        <ActionButton
          label="Deactivate"
          title={`Deactivate ${name}`}
          submit="Deactivate"
          tone="danger"
          send={async () => {
            await read(api.keys({ id }).deactivate.post());
            after('The key is inactive.');
          }}
        >
          <p>
            Every request with the key is refused within a second. Its holds and bookings on request are released, and
            its receiver gets no events. Confirmed bookings stay.
          </p>
        </ActionButton>
      )}
      {!active && may('activate_key') && (
        <ActionButton
          label="Activate"
          title={`Activate ${name}`}
          submit="Activate"
          send={async () => {
            await read(api.keys({ id }).activate.post());
            after('The key is active.');
          }}
        >
          <p>The key works again with its values and settings. An expired key stays expired.</p>
        </ActionButton>
      )}
    </>
  );
}

function Change({ of, after }: { readonly of: OneKey; readonly after: (text: string) => void }) {
  const before = textsOf(of);
  return (
    <Section title="Change">
      <Form
        // A changed key has other texts.
        key={JSON.stringify(before)}
        submit="Save the changes"
        send={async (values) => {
          const changes = changesIn(values, before);
          if (Object.keys(changes).length === 0) return after('Nothing was changed.');
          await read(api.keys({ id: of.id }).patch(changes));
          after(`Saved: ${Object.keys(changes).join(', ')}.`);
        }}
      >
        <CommonFields texts={before} />
        <LimitFields texts={before} />
      </Form>
    </Section>
  );
}
