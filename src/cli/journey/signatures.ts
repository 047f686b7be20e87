import { createHmac, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';

/** Tolerance of the timestamp, as in Standard Webhooks: an older delivery may be a replay. */
const TOLERANCE_MS = 5 * MINUTE_MS;

/** A received delivery. The signatures cover the exact bytes of the body. */
export type Delivered = { readonly headers: Headers; readonly body: string };

/** The faults of a delivery's two signatures; empty if both are valid. */
export function signatureFaults({ headers, body }: Delivered, secret: string, nowMs: number): string[] {
  return [serviceFault(headers, body, secret), standardFault(headers, body, secret, nowMs)].filter(
    (fault) => fault !== null,
  );
}

/** `X-Service-Signature`: HMAC of the body, keyed with the secret including `whsec_`. */
function serviceFault(headers: Headers, body: string, secret: string): string | null {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return same(headers.get('x-service-signature') ?? '', expected) ? null : 'X-Service-Signature does not hold';
}

/** `webhook-signature`: HMAC of id, timestamp and body, keyed with the decoded secret; one of several may match. */
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
