import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a delivery's time may be from ours, as Standard Webhooks advises: what is older may have been replayed. */
const TOLERANCE_MS = 5 * 60_000;

/** A delivery as it came over the wire: the signatures are over the very text of its body. */
export type Delivered = { readonly headers: Headers; readonly body: string };

/** What is wrong with the two signatures of a delivery; none where both are the secret's over this very body. */
export function signatureFaults({ headers, body }: Delivered, secret: string, nowMs: number): string[] {
  return [serviceFault(headers, body, secret), standardFault(headers, body, secret, nowMs)].filter(
    (fault) => fault !== null,
  );
}

/** `X-Service-Signature`: keyed with the secret as it is shown, over the body. */
function serviceFault(headers: Headers, body: string, secret: string): string | null {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return same(headers.get('x-service-signature') ?? '', expected) ? null : 'X-Service-Signature does not hold';
}

/** `webhook-signature`: keyed with what the secret's base64 stands for, over id, time and body; one of several may hold. */
function standardFault(headers: Headers, body: string, secret: string, nowMs: number): string | null {
  const [id, timestamp] = [headers.get('webhook-id') ?? '', headers.get('webhook-timestamp') ?? ''];
  if (!(Math.abs(Number(timestamp) * 1000 - nowMs) <= TOLERANCE_MS)) {
    return `webhook-timestamp ${timestamp || '(missing)'} is more than five minutes from now`;
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const given = (headers.get('webhook-signature') ?? '').split(' ');
  return given.some((signature) => same(signature, expected)) ? null : 'webhook-signature does not hold';
}

function same(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
