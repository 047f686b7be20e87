/**
 * A receiver written from docs/webhooks.md alone, without code of Waymark.
 *
 *     bun receiver.ts 'whsec_…'
 *
 * POST /standard checks `webhook-signature`, POST /service checks `X-Service-Signature`. Each event is printed once. GET
 * /bookings returns the latest event of each booking.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

type Envelope = { id: string; event: string; sequence: number; data: { booking_id: string } };

const [secret = ''] = process.argv.slice(2);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
if (!secret.startsWith('whsec_') || key.length !== 32) throw new Error('not a webhook secret');

const table = new Map<string, Envelope>();
const bookings: Record<string, { event: string; sequence: number }> = {};

const CHECKS: Readonly<Record<string, (headers: IncomingMessage['headers'], body: Buffer) => boolean>> = {
  '/standard'(headers, body) {
    const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': given = '' } = headers;
    const late = Math.abs(Date.now() / 1000 - Number(at)) > 5 * 60;
    if (late || at === '' || Number.isNaN(Number(at))) return false;
    const signature = createHmac('sha256', key)
      .update(`${String(id)}.${String(at)}.`)
      .update(body)
      .digest();
    return String(given)
      .split(' ')
      .filter((one) => one.startsWith('v1,'))
      .some((one) => equal(Buffer.from(one.slice(3), 'base64'), signature));
  },
  '/service'(headers, body) {
    const given = String(headers['x-service-signature']);
    const signature = createHmac('sha256', secret).update(body).digest();
    return given.startsWith('sha256=') && equal(Buffer.from(given.slice(7), 'hex'), signature);
  },
};

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function keep(event: Envelope): void {
  if (table.has(event.id)) return;
  table.set(event.id, event);
  setImmediate(work, event);
}

function work(event: Envelope): void {
  const { booking_id: booking } = event.data;
  if ((bookings[booking]?.sequence ?? -1) < event.sequence)
    bookings[booking] = { event: event.event, sequence: event.sequence };
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

const server = createServer((request, answer) => {
  if (request.url === '/bookings') {
    answer.end(JSON.stringify(bookings));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const accepted = CHECKS[request.url ?? '']?.(request.headers, body) ?? false;
    // The sender knows the secret.
    if (accepted) keep(JSON.parse(body.toString()) as Envelope);
    answer.writeHead(accepted ? 200 : 401).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`listening at http://127.0.0.1:${address?.port}/\n`);
});
