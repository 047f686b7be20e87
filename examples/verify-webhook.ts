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
 * The event, or null where the request was not signed with the secret, or not lately. `body` is the text of the request as
 * it came in: parsed and written again it would be another one.
 */
export function verifyWebhook(headers: Headers, body: string, secret: string, nowMs: number): WaymarkEvent | null {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (!/^\d+$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S) return null;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // While a secret is being replaced there are two signatures, with a space between them.
  const signatures = (headers.get('webhook-signature') ?? '').split(' ');
  const signed = signatures.some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  // What was signed with the secret is what Waymark wrote.
  return signed ? (JSON.parse(body) as WaymarkEvent) : null;
}

/** The other signature, for who prefers it: `X-Service-Signature` covers the body alone. */
export function verifyBodySignature(header: string | null, body: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Answers at once, and hands each event on once, however often it comes. `seen` should outlive the process. */
export function receive(secret: string, seen: Set<string>, handle: (event: WaymarkEvent) => void) {
  return async (request: Request): Promise<Response> => {
    const body = await request.text();
    const event = verifyWebhook(request.headers, body, secret, Date.now());
    if (event === null) return new Response('the signature does not fit', { status: 401 });
    if (!seen.has(event.id)) {
      handle(event);
      seen.add(event.id);
    }
    return new Response('ok');
  };
}

if (import.meta.main) {
  const [secret = '', port = '4000'] = process.argv.slice(2);
  const fetch = receive(secret, new Set(), (event) => {
    process.stdout.write(`${JSON.stringify(event)}\n`);
  });
  const server = Bun.serve({ port: Number(port), fetch });
  process.stdout.write(`listening at ${server.url.href}\n`);
}
