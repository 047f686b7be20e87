/**
 * Receives Waymark's webhooks: verifies signatures and handles each event once. It uses no Waymark code: copy it.
 *
 *     bun examples/verify-webhook.ts 'whsec_…' 4000
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The envelope of every event. The type of `data` depends on `event`. */
export type WaymarkEvent = {
  readonly id: string;
  readonly event: string;
  readonly api_version: string;
  readonly created_at: string;
  readonly sequence: number;
  /** Only in events sent by POST /api/webhooks/test. */
  readonly test?: true;
  readonly data: Readonly<Record<string, unknown>>;
};

const TOLERANCE_S = 300;

/**
 * Returns the event, or null if the signature is wrong or its timestamp is too old. `body` must be the received bytes:
 * parsing and serializing the JSON again can change them.
 */
export function verifyWebhook(
  headers: Headers,
  body: Uint8Array | string,
  secret: string,
  nowMs: number,
): WaymarkEvent | null {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S) return null;
  const key = Buffer.from(checked(secret).slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // The header has several signatures, separated by spaces, while a secret is being rotated.
  const signatures = (headers.get('webhook-signature') ?? '').split(' ');
  if (!signatures.some((signature) => same(signature, `v1,${expected}`))) return null;
  // The signature proves that Waymark wrote the body.
  return JSON.parse(Buffer.from(body).toString()) as WaymarkEvent;
}

/** An alternative: `X-Service-Signature` signs the body only, so it does not detect replayed requests. */
export function verifyBodySignature(header: string | null, body: Uint8Array | string, secret: string): boolean {
  return same(header ?? '', `sha256=${createHmac('sha256', checked(secret)).update(body).digest('hex')}`);
}

/** Constant-time comparison. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Rejects a malformed secret: with an empty one, anybody could sign. */
function checked(secret: string): string {
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new Error('a webhook secret is whsec_ and base64');
  return secret;
}

/** Answers when `keep` has stored the event; process it later. If `keep` fails, Waymark sends the event again. */
export function receive(secret: string, keep: (event: WaymarkEvent) => void | Promise<void>) {
  return async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const event = verifyWebhook(request.headers, body, secret, Date.now());
    if (event === null) return new Response('the signature is not valid', { status: 401 });
    await keep(event);
    return new Response('kept');
  };
}

if (import.meta.main) {
  const [secret = '', port = '4000'] = process.argv.slice(2);
  checked(secret);
  // In production, store the events in a database table whose primary key is the event id.
  const kept = new Set<string>();
  const work = (event: WaymarkEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);
  const fetch = receive(secret, (event) => {
    if (kept.has(event.id)) return;
    kept.add(event.id);
    setImmediate(work, event);
  });
  const server = Bun.serve({ hostname: '127.0.0.1', port: Number(port), maxRequestBodySize: 1_048_576, fetch });
  process.stdout.write(`listening at ${server.url.href}\n`);
}
