import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../domain/apikey/apikey.ts';
import type { PublicEventId } from '../domain/delivery/delivery.ts';

const SECRET_PREFIX = 'whsec_';

/** As they were shown to the key's owner, `whsec_` and base64; `previous` while one is being replaced, else null. */
export type SigningSecrets = { readonly present: string; readonly previous: string | null };

/** One attempt at telling a receiver of an event, before it is signed. */
export type Unsigned = {
  readonly body: string;
  readonly eventId: PublicEventId;
  readonly event: WebhookEvent;
  readonly deliveryId: string;
  /** When the attempt is made, ms since the epoch. */
  readonly atMs: number;
  readonly secrets: SigningSecrets;
  readonly version: string;
};

/**
 * The headers of the attempt, signed in both ways: `X-Service-Signature`, and the three of Standard Webhooks. While a secret
 * is being replaced, the latter carry both signatures; the former can hold but one, which is the previous secret's: who
 * verifies by it changes over when the rotation ends.
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

/** `sha256=` and hex, keyed with the bytes of the secret as it was shown, `whsec_` included. */
function bodySignature(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `v1,` and base64, keyed with what the secret's base64 stands for (standardwebhooks.com). */
function standardSignature(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
