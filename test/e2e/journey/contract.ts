import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { checkVoucherToken, type PublishedKeys } from '../../../examples/check-voucher-token.ts';
import { at, listAt, numberAt, textAt } from '../../../src/cli/journey/json.ts';
import { scanPng } from '../../support/scan.ts';
import { all, type Delivery, one, type Recording } from './recorder.ts';

/** Weights of the factors in percent, from the specification. */
const WEIGHTS = { profile: 30, ground_truth: 25, weather: 20, time: 15, price: 10 } as const;
/** Scores are rounded to two decimals. */
const ROUNDING = 0.005 + 1e-9;
const POLICY = '"minute";q=60;w=60, "day";q=1000;w=86400';

const BOOK = 'POST /api/b2a/execute_booking';
const MODIFY = /^POST .*\/modify$/;
const CANCEL = /^POST .*\/cancel$/;

/**
 * Compares the answers and deliveries of a whole journey with the public contract. The journey itself only checks what its
 * next step needs.
 * @param outbox where the service writes its mails; null: they go to a mail server
 */
export async function assertContract(journey: Recording, nowMs: number, outbox: string | null): Promise<void> {
  const version = assertKey(journey);
  assertRateLimits(journey);
  assertRecommendation(journey);
  const booked = assertBooking(journey, nowMs);
  const token = assertVoucher(journey, booked);
  const visited = assertVisit(journey);
  const confirmed = assertDelivery('booking_confirmed', journey, version, {
    ...pick(booked.order, ['activity_id', 'user_email', 'user_name', 'booking_date', 'num_adults', 'context_log_id']),
    booking_id: booked.id,
    activity_title: textAt(booked.activity, 'title'),
    num_children: 0,
    num_guests: 2,
    total_price: booked.total,
    currency: textAt(booked.activity, 'currency'),
    pricing: { total: booked.total },
    voucher_code: booked.code,
  });
  const delivered = assertDelivery('voucher_delivered', journey, version, {
    booking_id: booked.id,
    voucher_code: booked.code,
    delivered_to: textAt(booked.order, 'user_email'),
    delivery_method: 'email',
  });
  if (outbox !== null) await assertMail(outbox, delivered, token);
  if (visited !== null)
    assertDelivery('qr_verified', journey, version, {
      ...pick(visited, ['verified_at', 'venue_id', 'venue_name']),
      booking_id: booked.id,
      activity_id: textAt(booked.activity, 'id'),
      context_log_id: textAt(booked.order, 'context_log_id'),
      verification_method: 'qr_scan',
      check_in_data: { device_id: textAt(visited, 'check_in_data.device_id') },
    });
  assertDeliveryLog(journey, [confirmed, delivered]);
  assertChange(journey, version, nowMs);
  assertTools(journey);
  assertReference(journey);
}

/** @returns the version of the service */
function assertKey(journey: Recording): string {
  const { sent, body } = one(journey, 'POST /api/keys');
  const key = textAt(body, 'data.key');
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.match(textAt(body, 'data.webhook_secret'), /^whsec_[A-Za-z0-9+/]+=*$/);
  const prefix = `pk_${key.slice(0, 6)}`;
  const made = { prefix, plan: 'basic', active: true, webhook_url: textAt(sent, 'webhook_url') };
  assert.partialDeepStrictEqual(at(body, 'data'), made);
  const health = one(journey, 'GET /api/health').body;
  assert.partialDeepStrictEqual(at(health, 'data.key'), { prefix, plan: 'basic', daily_remaining: 1_000 });
  assert.equal(at(one(journey, /\/deactivate$/).body, 'data.active'), false);
  return textAt(health, 'data.version');
}

/** Each request uses one unit of the minute and of the day. */
function assertRateLimits(journey: Recording): void {
  const first = one(journey, 'GET /api/b2a/inventory').headers;
  const second = one(journey, 'POST /api/b2a/recommend').headers;
  assert.equal(first.get('ratelimit-policy'), POLICY);
  for (const name of ['minute', 'day']) {
    const numbersOf = (headers: Headers): readonly number[] =>
      new RegExp(`"${name}";r=(\\d+);t=(\\d+)`)
        .exec(headers.get('ratelimit') ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    const [left = 0, seconds = 0] = numbersOf(first);
    const [leftNow = 0, secondsNow = 0] = numbersOf(second);
    // If a new window began between the two requests, its end is farther off than before.
    assert.ok(leftNow === left - 1 || (secondsNow > seconds && leftNow >= left), `${name}: ${left}, then ${leftNow}`);
  }
}

function assertRecommendation(journey: Recording): void {
  const data = at(one(journey, 'POST /api/b2a/recommend').body, 'data');
  const recommendations = listAt(data, 'recommendations');
  assert.ok(recommendations.length <= 20);
  const scores = recommendations.map((activity) => numberAt(activity, 'relevance_score'));
  const descending = scores.toSorted((left, right) => right - left);
  assert.deepEqual(scores, descending);
  for (const summary of ['user_profile_summary', 'environment_summary'])
    assert.notEqual(textAt(data, `context.${summary}`), '');
  for (const activity of recommendations) {
    for (const field of ['id', 'title', 'description', 'category', 'currency', 'recommendation_reason', 'venue_id'])
      assert.notEqual(textAt(activity, field), '', `${textAt(activity, 'id')} has no ${field}`);
    assert.ok(numberAt(activity, 'price') > 0);
    let sum = 0;
    for (const [name, weight] of Object.entries(WEIGHTS)) {
      const factor = numberAt(activity, `score_breakdown.${name}`);
      assert.ok(factor >= 0 && factor <= 1, `${name} is ${factor}`);
      sum += weight * factor;
    }
    assert.ok(Math.abs(numberAt(activity, 'relevance_score') - sum) <= ROUNDING, `the score is not ${sum}`);
  }
}

function assertBooking(journey: Recording, nowMs: number) {
  const [quoted, booked, repeated] = all(journey, BOOK);
  const order = booked?.sent;
  const recommended = listAt(one(journey, 'POST /api/b2a/recommend').body, 'data.recommendations');
  const activity = recommended.find((candidate) => textAt(candidate, 'id') === textAt(order, 'activity_id'));
  const inventory = at(all(journey, 'GET /api/b2a/inventory')[1]?.body, 'data');
  const items = listAt(inventory, 'inventory');
  assert.ok(inventory === undefined || numberAt(inventory, 'metadata.total_results') >= items.length);
  const item = items.find((candidate) => textAt(candidate, 'activity_id') === textAt(order, 'activity_id'));
  if (item !== undefined) assert.partialDeepStrictEqual(item, pick(activity, ['price', 'currency']));
  const total = Math.round(numberAt(activity, 'price') * 2 * 100) / 100;
  const pricing = { total_guests: 2, total, currency: textAt(activity, 'currency') };
  assert.partialDeepStrictEqual(at(quoted?.body, 'data'), { dry_run: true, available: true, pricing });
  assert.equal(at(quoted?.body, 'data.booking_id'), undefined);
  const booking = at(booked?.body, 'data');
  const [id, code] = [textAt(booking, 'booking_id'), textAt(booking, 'voucher.code')];
  const promised = {
    status: 'confirmed',
    activity: pick(activity, ['id', 'title', 'venue_id']),
    pricing,
    ...pick(order, ['booking_date', 'num_adults', 'user_name', 'user_email', 'special_requests', 'context_log_id']),
    num_children: 0,
  };
  assert.partialDeepStrictEqual(booking, promised);
  assert.ok(textAt(booking, 'voucher.qr_url').endsWith(`/api/vouchers/${code}/qr.png`));
  assert.ok(textAt(booking, 'voucher.valid_until') >= textAt(order, 'booking_date'));
  const same = { booking_id: id, voucher: { code }, pricing: { total } };
  assert.equal(repeated?.headers.get('idempotent-replayed'), 'true');
  assert.partialDeepStrictEqual(at(repeated?.body, 'data'), same);
  const readings = all(journey, `GET /api/b2a/bookings/${id}`).map(({ body }) => at(body, 'data'));
  assert.partialDeepStrictEqual(readings[0], { ...promised, ...same, pricing });
  const sentAt = Date.parse(textAt(readings.at(-1), 'email_sent_at'));
  assert.ok(Math.abs(nowMs - sentAt) < 300_000, `email_sent_at is ${sentAt}`);
  return { id, code, total, order, activity };
}

type Booked = ReturnType<typeof assertBooking>;

/** @returns the text of the QR code */
function assertVoucher(journey: Recording, { code, activity, order }: Booked): string {
  const page = one(journey, `GET /api/vouchers/${code}`);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const shown = page.text.replaceAll(/<[^>]*>/g, '');
  for (const fact of [code, 'Ada Lovelace']) assert.ok(shown.includes(fact), `the page does not show ${fact}`);
  const image = one(journey, `GET /api/vouchers/${code}/qr.png`);
  assert.equal(image.headers.get('content-type'), 'image/png');
  const token = scanPng(image.bytes);
  const keys = one(journey, 'GET /.well-known/waymark-voucher-keys.json').body;
  // The journey has checked its shape.
  assert.partialDeepStrictEqual(checkVoucherToken(token, keys as PublishedKeys), {
    code,
    venueId: textAt(activity, 'venue_id'),
    date: textAt(order, 'booking_date'),
    numAdults: 2,
    numChildren: 0,
  });
  return token;
}

/** @returns the check-in; null if nothing could be entered any more */
function assertVisit(journey: Recording): unknown {
  const device = at(one(journey, /^POST .*\/devices$/).body, 'data');
  assert.partialDeepStrictEqual(device, { name: 'waymark journey' });
  const [first, second] = all(journey, 'POST /api/venue/verify');
  const checkIn = at(first?.body, 'data');
  if (at(first?.body, 'success') !== true) return null;
  assert.partialDeepStrictEqual(checkIn, {
    activity_id: textAt(one(journey, /^POST .*\/holds$/).sent, 'activity_id'),
    venue_id: textAt(device, 'venue_id'),
    verification_method: 'qr_scan',
    user_name: 'Ada Lovelace',
    num_guests: 2,
    check_in_data: { gate: 'journey gate', device_id: textAt(device, 'device_id') },
  });
  assert.match(textAt(second?.body, 'details'), /journey gate/);
  const key = textAt(one(journey, 'POST /api/keys').body, 'data.id');
  const report = all(journey, 'GET /api/analytics/conversions').at(-1)?.body;
  const row = listAt(report, 'data.items').find((candidate) => textAt(candidate, 'key_id') === key);
  const [recommended] = all(journey, 'POST /api/b2a/recommend');
  const shown = listAt(recommended?.body, 'data.recommendations').length;
  const counts = { requests: 1, recommended: shown, booked: 1, confirmed: 1, visited: 1, cancelled: 0 };
  assert.partialDeepStrictEqual(row, counts);
  return checkIn;
}

function assertDelivery(event: string, { deliveries }: Recording, version: string, data: object): Delivery {
  const delivery = deliveries.find(({ envelope }) => textAt(envelope, 'event') === event);
  assert.ok(delivery, `${event} was not delivered`);
  const { headers, envelope } = delivery;
  assert.partialDeepStrictEqual(envelope, { event, api_version: '2026-11', data });
  assert.notEqual(textAt(envelope, 'id'), '');
  assert.equal(headers.get('webhook-id'), textAt(envelope, 'id'));
  assert.equal(headers.get('x-service-event'), event);
  assert.equal(headers.get('user-agent'), `Waymark-Webhooks/${version}`);
  assert.ok(!Number.isNaN(Date.parse(textAt(envelope, 'created_at'))));
  assert.ok(Number.isInteger(numberAt(envelope, 'sequence')));
  return delivery;
}

async function assertMail(outbox: string, { envelope }: Delivery, token: string): Promise<void> {
  const mail = await PostalMime.parse(readFileSync(join(outbox, textAt(envelope, 'data.email_provider_id'))));
  assert.match(mail.messageId ?? '', /^<[^<>\s]+@[^<>\s]+>$/);
  assert.equal(mail.to?.[0]?.address, textAt(envelope, 'data.delivered_to'));
  const image = mail.attachments.find(({ mimeType }) => mimeType === 'image/png')?.content;
  assert.ok(image instanceof ArrayBuffer);
  assert.equal(scanPng(image), token);
}

function assertDeliveryLog(journey: Recording, deliveries: readonly Delivery[]): void {
  const items = listAt(all(journey, 'GET /api/webhooks/deliveries').at(-1)?.body, 'data.items');
  for (const { headers, envelope } of deliveries) {
    const id = headers.get('x-service-delivery-id');
    const item = items.find((candidate) => textAt(candidate, 'delivery_id') === id);
    const event = textAt(envelope, 'event');
    const logged = { event, status: 'success', next_attempt_at: null, payload: { event } };
    assert.partialDeepStrictEqual(item, { ...logged, booking_id: textAt(envelope, 'data.booking_id') });
    assert.equal(numberAt(listAt(item, 'attempts').at(-1), 'response_code'), 200);
  }
}

/** The booking of a hold that gets a second guest and is cancelled. */
function assertChange(journey: Recording, version: string, nowMs: number): void {
  const held = one(journey, 'POST /api/b2a/holds');
  const hold = at(held.body, 'data');
  const place = pick(held.sent, ['activity_id', 'booking_date', 'num_adults']);
  assert.partialDeepStrictEqual(hold, { ...place, num_children: 0, status: 'open' });
  assert.ok(Date.parse(textAt(hold, 'expires_at')) > nowMs);
  const [price, currency] = [numberAt(hold, 'pricing.total'), textAt(hold, 'pricing.currency')];
  const booking = at(all(journey, BOOK).at(-1)?.body, 'data');
  const id = textAt(booking, 'booking_id');
  assert.partialDeepStrictEqual(booking, { booking_date: textAt(held.sent, 'booking_date'), num_adults: 1 });
  const total = Math.round(price * 2 * 100) / 100;
  const changes = { num_adults: { from: 1, to: 2 } };
  assert.partialDeepStrictEqual(at(one(journey, MODIFY).body, 'data'), {
    booking_id: id,
    pricing: { total },
    new_pricing: { total },
    changes,
    voucher: { code: textAt(booking, 'voucher.code') },
  });
  const modified = { booking_id: id, modified_by: 'user', changes, new_pricing: { total } };
  assertDelivery('booking_modified', journey, version, modified);
  const [quote, cancelled] = all(journey, CANCEL).map(({ body }) => at(body, 'data'));
  assert.partialDeepStrictEqual(quote, { dry_run: true, status: 'confirmed', currency });
  const refunded = numberAt(quote, 'refund_amount');
  if (Date.parse(textAt(quote, 'free_until')) > nowMs) assert.equal(refunded, total);
  const reason = 'user_requested';
  assert.partialDeepStrictEqual(cancelled, { status: 'cancelled', reason, refund_amount: refunded, currency });
  const data = { booking_id: id, reason, cancellation_reason: reason, refund_amount: refunded, currency };
  assertDelivery('booking_cancelled', journey, version, data);
  const items = listAt(all(journey, 'GET /api/keys/self/statement').at(-1)?.body, 'data.items');
  const own = items
    .filter((item) => textAt(item, 'booking_id') === id)
    .map((item) => pick(item, ['type', 'amount', 'currency']));
  const charge = { type: 'charge', amount: price, currency };
  assert.deepEqual(own, [charge, charge, ...(refunded === 0 ? [] : [{ ...charge, type: 'refund', amount: refunded }])]);
}

function assertTools(journey: Recording): void {
  const { text } = all(journey, 'POST /mcp').at(-1) ?? { text: '' };
  const result = at(JSON.parse(text.replace(/^[^]*?data:/, '')), 'result');
  assert.notEqual(at(result, 'isError'), true);
  assert.notEqual(textAt(result, 'content.0.text'), '');
  const items = listAt(result, 'structuredContent.inventory');
  assert.ok(items.every((item) => textAt(item, 'activity_id') !== ''));
}

function assertReference(journey: Recording): void {
  const paths = Object.keys(Object(at(one(journey, 'GET /openapi.json').body, 'paths')));
  for (const path of ['/api/b2a/recommend', '/api/b2a/execute_booking', '/api/b2a/inventory'])
    assert.ok(paths.includes(path), `openapi.json does not describe ${path}`);
  const page = one(journey, 'GET /docs');
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  for (const [, script = ''] of page.text.matchAll(/<script[^>]* src="([^"]*)"/g))
    assert.match(script, /^\/(?!\/)/, 'scripts come from the service itself');
}

function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, at(value, name)]));
}
