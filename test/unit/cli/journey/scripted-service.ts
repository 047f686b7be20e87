import { createHmac } from 'node:crypto';
import { numberAt, textAt } from '../../../../src/cli/journey/json.ts';
import type { Outbox } from '../../../../src/cli/journey/outbox.ts';
import { qrPng } from '../../../../src/vouchers/qr.ts';
import { publishedKeys } from '../../../../src/vouchers/signing-key.ts';
import { signToken } from '../../../../src/vouchers/token.ts';
import { otherKey, someKey } from '../../vouchers/given.ts';
import { type Answer, asTold, type Lie, put } from './lies.ts';
import { type Handler, scriptedTrip } from './scripted-trip.ts';

export type ScriptedService = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly outbox: Outbox;
  /** What is left behind: both are given back by a journey that ends in order. */
  readonly left: () => { readonly keyActive: boolean; readonly device: boolean };
};

export const NOW = '2026-11-21T03:00:00.000Z';
export const SERVICE = 'http://waymark.example';
const TODAY = '2026-11-21';
const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
const KEY = 'ab'.repeat(32);
const CODE = 'WM-BK1-SECRET';
const JAZZ = { activity_id: 'bkk-jazz', venue_id: 'bkk-bar', category: 'nightlife', price: 1200, currency: 'THB' };
const LOG = 'rec_1';

/**
 * Answers one journey as the public contract says, from a script: two activities in Bangkok, one booking and its
 * visit, and another one that is changed and cancelled.
 * `closed` is the hour at which nothing can be entered any more.
 */
export function scriptedService(lies: readonly Lie[] = [], closed = false): ScriptedService {
  const state = {
    keyActive: false,
    device: false,
    slots: 10,
    left: 300,
    receiver: '',
    booked: null as string | null,
    visited: false,
    deliveries: [] as object[],
  };
  const date = closed ? '2026-11-22' : TODAY;
  const facts = {
    code: CODE,
    venueId: 'bkk-bar',
    date,
    validUntilMs: Date.parse(`${date}T18:00:00Z`),
    numAdults: 2,
    numChildren: 0,
  };
  const token = signToken(facts, lies.some((lie) => 'forged' in lie) ? { ...otherKey, kid: someKey.kid } : someKey);
  const counted = (answer: Answer): Answer => {
    state.left--;
    const ratelimit = `"minute";r=${state.left};t=60, "day";r=${state.left + 9_700};t=50400`;
    return {
      ...answer,
      headers: { ...answer.headers, ratelimit, 'ratelimit-policy': '"minute";q=300;w=60, "day";q=10000;w=86400' },
    };
  };
  const booking = () => ({
    booking_id: 'bk_1',
    status: 'confirmed',
    voucher: {
      code: CODE,
      qr_url: `${SERVICE}/api/vouchers/${CODE}/qr.png`,
      valid_until: new Date(facts.validUntilMs).toISOString(),
    },
    activity: { id: JAZZ.activity_id, title: 'Live jazz', location: 'Bangkok', venue_id: JAZZ.venue_id },
    pricing: { unit_price: 1200, total_guests: 2, subtotal: 2400, discount: 0, total: 2400, currency: 'THB' },
    email_sent: true,
    email_sent_at: NOW,
    booking_date: date,
    num_adults: 2,
    num_children: 0,
    user_name: 'Ada Lovelace',
    user_email: 'ada@example.com',
    special_requests: 'A quiet table, please',
    context_log_id: LOG,
  });

  const deliver = async (event: string, sequence: number, told: object): Promise<void> => {
    if (lies.some((lie) => 'never' in lie && lie.event === event)) return;
    const bookingId = textAt(told, 'booking_id');
    const envelope = { id: `evt_${event}`, event, api_version: '2026-11', created_at: NOW, sequence, data: told };
    const toldOf = lies.filter((lie) => 'event' in lie && lie.event === event);
    for (const lie of toldOf) if ('set' in lie) put(envelope, lie.set, lie.to);
    const body = JSON.stringify(envelope);
    const timestamp = String(Date.parse(NOW) / 1_000);
    const signed = `${envelope.id}.${timestamp}.${body}`;
    const bytes = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': 'Waymark-Webhooks/0.1.0',
      'x-service-event': event,
      'x-service-delivery-id': `dlv_${event}`,
      'x-service-signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      'webhook-id': envelope.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`,
    };
    for (const lie of toldOf) if ('header' in lie && lie.to !== null) headers[lie.header] = lie.to;
    const { status } = await fetch(state.receiver, { method: 'POST', headers, body });
    state.deliveries.push({
      delivery_id: `dlv_${event}`,
      event,
      booking_id: bookingId,
      status: status === 200 ? 'success' : 'retrying',
      attempts: [{ response_code: status }],
      next_attempt_at: status === 200 ? null : NOW,
      payload: envelope,
    });
  };

  const trip = scriptedTrip({ data, refused, deliver });
  const handlers: Readonly<Record<string, Handler>> = {
    ...trip.handlers,
    'GET /readyz': () => data({}),
    'POST /api/keys': ({ body }) => {
      state.receiver = textAt(body, 'webhook_url');
      state.keyActive = true;
      const made = { id: 'key_1', prefix: 'pk_ababab', plan: 'premium', active: true, webhook_url: state.receiver };
      return data({ ...made, key: KEY, webhook_secret: SECRET });
    },
    'POST /api/keys/key_1/deactivate': () => {
      state.keyActive = false;
      return data({ id: 'key_1', active: false });
    },
    'GET /api/health': () => {
      if (!state.keyActive) return refused(403, 'KEY_INACTIVE');
      return data({
        status: 'ok',
        version: '0.1.0',
        key: { prefix: 'pk_ababab', plan: 'premium', daily_remaining: 10_000 },
      });
    },
    'GET /api/b2a/inventory': ({ query }) => {
      if (closed && (query.get('date') ?? '') <= date) return counted(refused(404, 'NO_INVENTORY'));
      const jazz = { ...JAZZ, title: 'Live jazz', available_slots: state.slots, operating_hours: '17:00-01:00' };
      const cruise = { ...jazz, activity_id: 'bkk-cruise', title: 'River cruise', operating_hours: '18:30-21:30' };
      const metadata = { total_results: 2, query_date: TODAY, city: 'Bangkok' };
      return counted(data({ inventory: [jazz, cruise], metadata }));
    },
    'POST /api/b2a/recommend': () => {
      const jazz = recommended('bkk-jazz', state.visited ? 0.7 : 0.5, date);
      // The journey leaves alone what a venue confirms on request.
      const better = closed
        ? recommended('bkk-kitchen', 0.9, date, 'on_request')
        : recommended('bkk-cruise', 0.9, date);
      const recommendations = [better, jazz];
      const context = { log_id: LOG, user_profile_summary: 'A couple', environment_summary: 'Dry' };
      return counted(data({ recommendations, context }));
    },
    'POST /api/venues/bkk-bar/devices': () => {
      state.device = true;
      return data({ device_id: 'dev_1', venue_id: 'bkk-bar', name: 'waymark journey', device_key: 'device' });
    },
    'DELETE /api/venues/bkk-bar/devices/dev_1': () => {
      state.device = false;
      return data({});
    },
    'POST /api/b2a/execute_booking': async ({ body, headers }) => {
      const wish = JSON.stringify(body);
      const { pricing } = booking();
      if (textAt(body, 'hold_id') !== '') return trip.book();
      if (textAt(body, 'context_log_id') !== LOG) return refused(400, 'INVALID_REQUEST');
      if (wish.includes('"dry_run":true'))
        return data({ dry_run: true, available: true, available_slots: 10, pricing });
      if (headers.get('idempotency-key') === null) return refused(400, 'INVALID_REQUEST');
      if (state.booked === wish) return { ...data(booking()), headers: { 'idempotent-replayed': 'true' } };
      if (state.booked !== null) return refused(422, 'IDEMPOTENCY_KEY_REUSED');
      state.booked = wish;
      state.slots -= numberAt(body, 'num_adults');
      await deliver('booking_confirmed', 1, {
        booking_id: 'bk_1',
        activity_id: 'bkk-jazz',
        activity_title: 'Live jazz',
        user_email: 'ada@example.com',
        user_name: 'Ada Lovelace',
        booking_date: date,
        num_adults: 2,
        num_children: 0,
        num_guests: 2,
        total_price: 2400,
        currency: 'THB',
        pricing,
        context_log_id: LOG,
        voucher_code: CODE,
      });
      await deliver('voucher_delivered', 4, {
        booking_id: 'bk_1',
        voucher_code: CODE,
        delivered_to: 'ada@example.com',
        delivered_at: NOW,
        delivery_method: 'email',
        email_provider_id: 'bk_1.1@waymark.example.eml',
      });
      return data(booking());
    },
    'GET /api/b2a/bookings/bk_1': () => data(booking()),
    [`GET /api/vouchers/${CODE}`]: () => page(`<p>${CODE.replaceAll('-', '<b>-</b>')}</p><p>Ada Lovelace</p>`),
    [`GET /api/vouchers/${CODE}/qr.png`]: () => ({
      status: 200,
      headers: { 'content-type': 'image/png' },
      body: qrPng(token),
    }),
    'GET /.well-known/waymark-voucher-keys.json': () => ({ status: 200, headers: {}, body: publishedKeys([someKey]) }),
    'GET /api/webhooks/deliveries': () => data({ items: state.deliveries, next_cursor: null }),
    'POST /api/venue/verify': async ({ body }) => {
      if (!state.device) return refused(401, 'INVALID_DEVICE_KEY');
      if (textAt(body, 'code') !== token) return refused(400, 'VOUCHER_TOKEN_INVALID');
      if (closed) return refused(409, 'VOUCHER_NOT_VALID_TODAY');
      if (state.visited) return refused(409, 'VOUCHER_ALREADY_VERIFIED', `first verified ${NOW} at gate journey gate`);
      state.visited = true;
      const visit = {
        booking_id: 'bk_1',
        activity_id: 'bkk-jazz',
        venue_id: 'bkk-bar',
        venue_name: 'The Bar',
        verified_at: NOW,
        verification_method: 'qr_scan',
        check_in_data: { gate: textAt(body, 'gate'), device_id: 'dev_1' },
      };
      await deliver('qr_verified', 5, { ...visit, context_log_id: LOG });
      return data({ ...visit, user_name: 'Ada Lovelace', num_guests: 2 });
    },
    'GET /api/analytics/conversions': () => {
      const visited = Number(state.visited);
      const own = { key_id: 'key_1', requests: 1, recommended: 2, booked: 1, confirmed: 1, visited, cancelled: 0 };
      return data({ items: [{ ...own, key_id: 'key_0' }, own], next_cursor: null });
    },
    'GET /api/analytics/visits': () => {
      const items = state.visited ? [{ activity_id: 'bkk-jazz', visits: 1, guests: 2 }] : [];
      return data({ items, next_cursor: null });
    },
    'POST /mcp': ({ body }) => rpc(body),
    'GET /openapi.json': () => ({
      status: 200,
      headers: {},
      body: {
        openapi: '3.1.0',
        paths: { '/api/b2a/recommend': {}, '/api/b2a/execute_booking': {}, '/api/b2a/inventory': {} },
      },
    }),
    'GET /docs': () => page('<script src="/docs/reference.js"></script>'),
    'GET /docs/reference.js': () => ({ status: 200, headers: {}, body: 'reference' }),
    'GET /llms.txt': () => ({ status: 200, headers: {}, body: 'POST /api/b2a/execute_booking books.' }),
  };

  const times = new Map<string, number>();
  return {
    async fetch(url, init) {
      const { pathname, searchParams: query } = new URL(url);
      const on = `${init.method ?? 'GET'} ${pathname}`;
      times.set(on, (times.get(on) ?? 0) + 1);
      const handler = handlers[on] ?? (() => refused(404, 'NOT_FOUND'));
      const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      return responseOf(
        asTold(await handler({ body, query, headers: new Headers(init.headers) }), on, times.get(on) ?? 1, lies),
      );
    },
    outbox: { mail: (name) => (name === 'bk_1.1@waymark.example.eml' ? mail('bk_1', token) : null) },
    left: () => ({ keyActive: state.keyActive, device: state.device }),
  };
}

function data(of: object): Answer {
  return { status: 200, headers: { 'x-position': '7' }, body: { success: true, data: of } };
}

function refused(status: number, code: string, details = ''): Answer {
  return { status, headers: {}, body: { success: false, error: code, code, details } };
}

function page(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

/** Every factor but ground truth is 0.5. */
function recommended(id: string, groundTruth: number, date: string, confirmation = 'instant'): object {
  const { price, currency, category, venue_id } = JAZZ;
  const title = id === 'bkk-jazz' ? 'Live jazz' : 'River cruise';
  return {
    id,
    title,
    description: 'An evening',
    category,
    price,
    currency,
    venue_id,
    confirmation,
    available_date: date,
    relevance_score: 37.5 + 25 * groundTruth,
    recommendation_reason: 'It is dry',
    score_breakdown: { profile: 0.5, ground_truth: groundTruth, weather: 0.5, time: 0.5, price: 0.5 },
  };
}

function rpc(body: unknown): Answer {
  const tools = ['recommend', 'book', 'inventory'].map((name) => ({ name }));
  const results: Readonly<Record<string, object>> = {
    initialize: { serverInfo: { name: 'waymark', version: '0.1.0' } },
    'tools/list': { tools },
    'tools/call': {
      content: [{ type: 'text', text: 'One activity' }],
      structuredContent: { inventory: [{ activity_id: 'bkk-jazz' }] },
    },
  };
  const message = { jsonrpc: '2.0', id: numberAt(body, 'id'), result: results[textAt(body, 'method')] };
  // The first as an event stream, which a tool server may answer with too.
  if (message.id > 1) return { status: 200, headers: {}, body: message };
  const stream = `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: stream };
}

function mail(bookingId: string, token: string): string {
  const image = Buffer.from(qrPng(token))
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\r\n');
  return [
    `Message-ID: <${bookingId}.1@waymark.example>`,
    'To: Ada Lovelace',
    ' <ada@example.com>',
    'Content-Type: multipart/related; boundary=part',
    '',
    '--part',
    'Content-Type: image/png; name=voucher-qr.png',
    'Content-Transfer-Encoding: base64',
    '',
    image,
    '',
    '--part--',
  ].join('\r\n');
}

function responseOf({ status, headers, body }: Answer): Response {
  if (typeof body === 'string') return new Response(body, { status, headers });
  if (body instanceof Uint8Array) return new Response(Buffer.from(body), { status, headers });
  return Response.json(body, { status, headers });
}
