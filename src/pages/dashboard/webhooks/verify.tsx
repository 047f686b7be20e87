import { Page, Section } from '../components/page.tsx';
import { Code } from '../components/values.tsx';
import { verifyingPart } from './snippets.ts' with { type: 'macro' };

const TYPESCRIPT = verifyingPart('verify-webhook.ts');
const PYTHON = verifyingPart('verify-webhook.py');

/** How a receiver verifies that a request is of this service. */
export function VerifyPage() {
  return (
    <Page title="Verify webhook signatures">
      <Section title="What to check">
        <ol>
          <li>
            Read the raw bytes of the body, before any JSON parser: parsing and serializing again can change them.
          </li>
          <li>
            Verify <code>webhook-signature</code> over <code>webhook-id</code>, <code>webhook-timestamp</code> and the
            body. It has two signatures while a secret is being replaced; one match is enough.
          </li>
          <li>Refuse a timestamp more than five minutes away from your clock.</li>
          <li>
            Answer 401 if it does not match. Else store the event by its id, answer 200 at once, and process it
            afterwards.
          </li>
        </ol>
        <p>
          The secret is the text that begins with <code>whsec_</code>, shown once when it was issued. Lost it? Replace
          it: for a day both sign.
        </p>
      </Section>
      <Section title="TypeScript">
        <Code label="verify-webhook.ts" text={TYPESCRIPT} />
      </Section>
      <Section title="Python">
        <Code label="verify_webhook.py" text={PYTHON} />
      </Section>
      <p>
        Libraries for <a href="https://www.standardwebhooks.com">Standard Webhooks</a> verify the same signature.
      </p>
    </Page>
  );
}
