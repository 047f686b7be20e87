import { useState } from 'preact/hooks';
import { Field, Form } from '../components/form.tsx';
import { Code } from '../components/values.tsx';

/** Computes the signature of a body in the browser: the secret is not sent anywhere. */
export function SignatureCheck({ body }: { readonly body: string }) {
  const [signature, setSignature] = useState<string | null>(null);
  return (
    <details>
      <summary>Compare the signature that your server computes</summary>
      <p>
        Enter the webhook secret that your server uses. This page computes the X-Service-Signature of the body above;
        the secret stays in this page. If your server computes another value, it uses another secret, or not the bytes
        that it received.
      </p>
      <Form
        submit="Compute"
        tone="plain"
        send={async ({ secret = '' }) => setSignature(await bodySignature(body, secret))}
      >
        <Field label="Webhook secret" name="secret" type="password" required autoComplete="off" placeholder="whsec_…" />
      </Form>
      {signature !== null && <Code label="X-Service-Signature" text={signature} />}
    </details>
  );
}

/**
 * `X-Service-Signature` of a body.
 *
 * @throws for a secret of another form, and where the browser has no cryptography: over plain HTTP from another host
 */
async function bodySignature(body: string, secret: string): Promise<string> {
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new Error('A webhook secret is whsec_ and base64.');
  if (!isSecureContext)
    throw new Error('The browser computes signatures only on pages that were loaded over https://.');
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign']);
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(body)));
  return `sha256=${Array.from(signed, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
