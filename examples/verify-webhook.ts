/**
 * Receives Waymark's webhooks: verifies each one, and takes each event once. It needs nothing of Waymark: copy it.
 *
 *     bun examples/verify-webhook.ts 'whsec_…' 4000
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The envelope of every event; what `data` holds depends on `event`. */
export type WaymarkEvent = {
  readonly id: string;
  readonly event: string;
  readonly api_version: string;
  readonly created_at: string;
  readonly sequence: number;
  /** Only in what POST /api/webhooks/test sends. */
  readonly test?: true;
  readonly data: Readonly<Record<string, unknown>>;
};

const TOLERANCE_S = 300;

/**
 * The event, or null where the request was not signed with the secret, or not lately. `body` holds the request's bytes as
 * they came in: parsed and written again they would be others.
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
  // There may be several, with a space between them: while a secret is being replaced, both sign.
  const signatures = (headers.get('webhook-signature') ?? '').split(' ');
  if (!signatures.some((signature) => same(signature, `v1,${expected}`))) return null;
  // What was signed with the secret is what Waymark wrote.
  return JSON.parse(Buffer.from(body).toString()) as WaymarkEvent;
}

/** The other signature, for who prefers it: `X-Service-Signature` covers the body alone, and so not when it was sent. */
export function verifyBodySignature(header: string | null, body: Uint8Array | string, secret: string): boolean {
  return same(header ?? '', `sha256=${createHmac('sha256', checked(secret)).update(body).digest('hex')}`);
}

/** In constant time: how long a comparison took would tell how much of a guess was right. */
function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** With an empty secret anybody could sign. */
function checked(secret: string): string {
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw new Error('a webhook secret is whsec_ and base64');
  return secret;
}

/** Answers as soon as `keep` has the event: the work on it comes later. Without `keep`'s word it will come again. */
export function receive(secret: string, keep: (event: WaymarkEvent) => void | Promise<void>) {
  return async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const event = verifyWebhook(request.headers, body, secret, Date.now());
    if (event === null) return new Response('the signature does not fit', { status: 401 });
    await keep(event);
    return new Response('kept');
  };
}

if (import.meta.main) {
  const [secret = '', port = '4000'] = process.argv.slice(2);
  checked(secret);
  // Instead of these write to a table whose primary key is the event's id, so that they outlive the process.
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
