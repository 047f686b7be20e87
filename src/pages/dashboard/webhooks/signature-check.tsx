import { useState } from 'preact/hooks';
import { Field, Form, type Values } from '../components/form.tsx';
import { Done, Facts } from '../components/page.tsx';
import type { Delivery } from './answers.ts';

type Signatures = { readonly ofBody: string; readonly standard: string };
/** `received`: whether the signature that the server received is one of them; null if none was entered. */
type Checked = Signatures & { readonly received: boolean | null };

/**
 * Computes both signatures of a delivery in the browser, and compares them with the one that the server received: this tells
 * a wrong secret from wrong bytes. The secret is not sent anywhere.
 */
export function SignatureCheck({ delivery }: { readonly delivery: Delivery }) {
  const [checked, setChecked] = useState<Checked | null>(null);
  const check = async ({ secret = '', timestamp = '', received }: Values): Promise<void> => {
    setChecked(null);
    const signatures = await signaturesOf(delivery, timestamp, secret);
    const known: readonly string[] = Object.values(signatures);
    setChecked({
      ...signatures,
      // During a replacement of the secret the header has two signatures.
      received: received === undefined ? null : received.split(/\s+/).some((one) => known.includes(one)),
    });
  };
  return (
    <>
      <p>
        Body, id and time are those of this delivery. Enter the webhook secret that your server uses: this page computes
        what the headers must be with it, and sends it nowhere. With the header that your server received, it also says
        whether the secret is wrong.
      </p>
      <Form submit="Compute" tone="plain" send={check}>
        <Field label="Webhook secret" name="secret" type="password" required autoComplete="off" placeholder="whsec_…" />
        <Field
          label="webhook-timestamp"
          name="timestamp"
          value={lastTimestamp(delivery)}
          required
          hint="Of the last attempt, to the second. Take the one that your server received, if it differs."
        />
        <Field
          label="Signature that your server received"
          name="received"
          autoComplete="off"
          placeholder="v1,… or sha256=…"
          hint="The header webhook-signature or X-Service-Signature. Empty: nothing is compared."
        />
      </Form>
      {checked !== null && <Result of={checked} />}
    </>
  );
}

function Result({ of: { ofBody, standard, received } }: { readonly of: Checked }) {
  return (
    <>
      {received === true && (
        <Done>
          The signature matches: the secret is right. If your server still refuses it, it computes over other bytes
          (those of a parsed body, or another encoding) or compares another header.
        </Done>
      )}
      {received === false && (
        <div class="notice bad" role="alert">
          <p>
            The signature does not match. The secret is not that of this key, or the timestamp is that of another
            attempt.
          </p>
        </div>
      )}
      <Facts
        of={{
          'webhook-signature': <code>{standard}</code>,
          'X-Service-Signature': <code>{ofBody}</code>,
        }}
      />
    </>
  );
}

/** Seconds since 1970 at which the last attempt was signed; a second off at most. Empty without an attempt. */
function lastTimestamp({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? '' : String(Math.floor((Date.parse(last.at) - last.response_time_ms) / 1_000));
}

/** @throws for a secret of another form, and where the browser has no cryptography: over plain HTTP from another host */
async function signaturesOf(
  { payload, event_id: id }: Delivery,
  timestamp: string,
  secret: string,
): Promise<Signatures> {
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new Error('A webhook secret is whsec_ and base64.');
  if (!isSecureContext)
    throw new Error('The browser computes signatures only on pages that were loaded over https://.');
  const body = JSON.stringify(payload);
  const ofBody = await hmac(new TextEncoder().encode(secret), body);
  const standard = await hmac(bytesIn(secret.slice('whsec_'.length)), `${id}.${timestamp}.${body}`);
  return {
    ofBody: `sha256=${Array.from(ofBody, (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    standard: `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

async function hmac(secret: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)));
}

/** @throws if it is no base64 */
function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
