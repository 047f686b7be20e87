import { createHmac } from 'node:crypto';
import { type ExistingKey, sealedSecretsAt, webhookSecretPurpose } from '../domain/apikey/apikey.ts';
import type { PublicEventId, WebhookEvent } from '../domain/delivery/delivery.ts';
import type { Sealer } from '../ports/sealer.ts';

const SECRET_PREFIX = 'whsec_';

/** `whsec_` and base64, as shown to the key's owner; `previous` during a rotation, else null. */
type SigningSecrets = { readonly present: string; readonly previous: string | null };

/** An attempt before it is signed. */
type Unsigned = {
  readonly body: string;
  readonly eventId: PublicEventId;
  readonly event: WebhookEvent;
  readonly deliveryId: string;
  /** Time of the attempt, ms since the epoch. */
  readonly atMs: number;
  readonly secrets: SigningSecrets;
  readonly version: string;
};

/**
 * The headers of an attempt with two signatures: `X-Service-Signature` and the three Standard Webhooks headers. During
 * a rotation the latter carry both secrets' signatures. The former has room for only one, the previous secret's; its
 * receivers switch to the new secret when the rotation ends.
 */
export function signedHeaders(unsigned: Unsigned) {
  const { body, eventId, event, deliveryId, atMs, secrets, version } = unsigned;
  const { present, previous } = secrets;
  const timestamp = String(Math.floor(atMs / 1_000));
  return {
    'content-type': 'application/json',
    'user-agent': `Waymark-Webhooks/${version}`,
    'x-service-event': event,
    'x-service-delivery-id': deliveryId,
    'x-service-signature': bodySignature(body, previous ?? present),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': [present, ...(previous === null ? [] : [previous])]
      .map((secret) => standardSignature(`${eventId}.${timestamp}.${body}`, secret))
      .join(' '),
  };
}

/** `sha256=` and hex, keyed with the secret's text, `whsec_` included. */
function bodySignature(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `v1,` and base64, keyed with the bytes decoded from the secret's base64 (standardwebhooks.com). */
function standardSignature(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** The secrets that sign at a time (ms since the epoch). */
export function signingSecrets(key: ExistingKey, sealer: Sealer, atMs: number): SigningSecrets {
  const unseal = (sealed: string): string =>
    Buffer.from(sealer.open(sealed, webhookSecretPurpose(key.facts.keyId))).toString();
  const { webhookSecret, replaced } = sealedSecretsAt(key, atMs);
  return { present: unseal(webhookSecret), previous: replaced === null ? null : unseal(replaced) };
}
