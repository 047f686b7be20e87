import { useState } from 'preact/hooks';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { api, read } from '../client.ts';
import { choicesOf, Field, Form, Select, type Values } from '../components/form.tsx';
import { Badge, Facts, Section } from '../components/page.tsx';
import type { EventName, TestResult } from './answers.ts';
import { isOperator } from './caller.ts';
import { adviceFor } from './explanation.ts';

/** Sends an example, and shows what the receiver answered. */
export function TestReceiver({ keyId }: { readonly keyId: string }) {
  const [result, setResult] = useState<TestResult | null>(null);
  const send = async ({ event_type = WEBHOOK_EVENTS[0], webhook_url, key }: Values): Promise<void> => {
    setResult(null);
    const body = {
      event_type: event_type as EventName,
      ...(webhook_url !== undefined && { webhook_url }),
      ...(key !== undefined && { key }),
    };
    setResult(await read(api.webhooks.test.post(body)));
  };
  return (
    <Section title="Send a test">
      <p>
        Sends one example of an event, with <code>test: true</code>, signed with the present secret. It is not sent
        again.
      </p>
      <Form submit="Send the test" send={send}>
        {isOperator() && <Field label="API key (id)" name="key" value={keyId} required placeholder="key_…" />}
        <Select label="Event" name="event_type" choices={choicesOf(WEBHOOK_EVENTS)} />
        <Field label="URL" name="webhook_url" type="url" hint="Empty: the URL of the key." />
      </Form>
      <div role="status">{result !== null && <Result of={result} />}</div>
    </Section>
  );
}

function Result({ of }: { readonly of: TestResult }) {
  const { status, response_code: code, response_time_ms: ms, error, signature, delivery_id: id } = of;
  const advice = adviceFor({ response_code: code, error });
  return (
    <div class={`notice ${status === 'success' ? 'good' : 'bad'}`}>
      <p>
        <Badge tone={status === 'success' ? 'good' : 'bad'}>{status === 'success' ? 'acknowledged' : 'failed'}</Badge>{' '}
        {error ?? `answered ${code}`} after {ms.toLocaleString('en')} ms. {advice}
      </p>
      <Facts
        of={{
          'X-Service-Signature': <code>{signature}</code>,
          Delivery: <a href={`/dashboard/webhooks/deliveries/${id}`}>{id}</a>,
        }}
      />
    </div>
  );
}
