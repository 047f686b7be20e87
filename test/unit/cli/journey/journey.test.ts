import { describe, expect, test } from 'bun:test';
import { type JourneyOptions, runJourney } from '../../../../src/cli/journey/journey.ts';
import type { StepResult } from '../../../../src/cli/journey/step.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import type { Lie } from './lies.ts';
import { NOW, SERVICE, scriptedService } from './scripted-service.ts';

const STEPS = [
  'service readiness',
  'API key with a webhook receiver',
  'health',
  'rate limits',
  'recommendation',
  'inventory of today',
  'gate device',
  'price quote by a dry run',
  'booking',
  'idempotent repetition',
  'booking by its id',
  'inventory after the booking',
  'voucher page',
  'voucher QR code and its signature',
  'voucher mail',
  'webhook booking_confirmed',
  'webhook voucher_delivered',
  'QR code in the voucher mail',
  'visits before the check-in',
  'gate check-in',
  'second scan',
  'webhook qr_verified',
  'event sequence',
  'delivery log',
  'conversions',
  'visits after the check-in',
  'recommendation after the visit',
  'another date with free slots',
  'hold',
  'booking of the hold',
  'booking change',
  'webhook booking_modified',
  'cancellation and refund',
  'webhook booking_cancelled',
  'statement',
  'MCP tools',
  'MCP inventory tool',
  'API reference',
  'gate device removal',
  'key deactivation',
];

describe('the journey with an honest service', () => {
  test('goes as promised, step by step, and gives everything back', async () => {
    const service = scriptedService();
    const { journey, results } = await played(service);
    expect(results.map(({ name }) => name)).toEqual(STEPS);
    expect(differences(results)).toEqual([]);
    expect(journey).toEqual({ kept: STEPS.length, differing: 0, leftOut: 0, tookMs: 0 });
    expect(service.left()).toEqual({ keyActive: false, device: false });
  });

  test('books the one of two that is least visited', async () => {
    const { results } = await played(scriptedService());
    expect(factsOf(results, 'inventory of today')).toEqual([
      '2 bookable on 2026-11-21',
      'Live jazz on 2026-11-21, 10 free',
    ]);
  });

  test('at an hour when nothing opens any more, sees the gate refuse what is for another day', async () => {
    const { journey, results } = await played(scriptedService([], true));
    expect(differences(results)).toEqual([]);
    expect(journey.leftOut).toBe(2);
    expect(factsOf(results, 'visit and its effects')).toEqual(['nothing in the city can be entered any more today']);
  });

  test('leaves the mail alone where a mail server has it, or another machine', async () => {
    const elsewhere = await played({ ...scriptedService(), outbox: null });
    expect(differences(elsewhere.results)).toEqual([]);
    expect(elsewhere.journey.leftOut).toBe(1);
    const sent = { event: 'voucher_delivered', set: 'data.email_provider_id', to: '250 queued as 1' };
    const { results } = await played(scriptedService([sent]));
    expect(differences(results)).toEqual([]);
    expect(factsOf(results, 'QR code in the voucher mail')).toEqual(['a mail server has it, as 250 queued as 1']);
  });
});

/** A lie, the steps in which it is seen, and the beginning of what one of them says was expected. */
type Case = readonly [lie: Lie, seenIn: readonly string[], expected: string];

const BOOK = 'POST /api/b2a/execute_booking';
const RECOMMEND = 'POST /api/b2a/recommend';
const INVENTORY = 'GET /api/b2a/inventory';
const RECOMMENDED = 'recommendation';
const CONFIRMED = 'webhook booking_confirmed';
const DELIVERED = 'webhook voucher_delivered';
const STATEMENT = 'statement';
const LOG = 'delivery log';

describe('a lying service is caught:', () => {
  const cases: Readonly<Record<string, Case>> = {
    'a score that its factors do not weigh': [
      { on: RECOMMEND, set: 'data.recommendations.1.relevance_score', to: 51 },
      [RECOMMENDED],
      'the score of bkk-jazz is 50.00',
    ],
    'a factor above 1': [
      { on: RECOMMEND, set: 'data.recommendations.0.score_breakdown.price', to: 1.5 },
      [RECOMMENDED],
      'each factor of bkk-cruise is from 0 to 1',
    ],
    'recommendations out of order': [
      { on: RECOMMEND, set: 'data.recommendations.0.relevance_score', to: 1 },
      [RECOMMENDED],
      'the highest score comes first',
    ],
    'a recommendation without a reason': [
      { on: RECOMMEND, set: 'data.recommendations.1.recommendation_reason', to: '' },
      [RECOMMENDED],
      'bkk-jazz has a recommendation_reason',
    ],
    'a plan that is not counted': [
      { on: INVENTORY, header: 'ratelimit', to: '"minute";r=299;t=60, "day";r=9999;t=50400' },
      ['rate limits'],
      'RateLimit "minute" goes down by one',
    ],
    'a price that is not the one recommended': [
      { on: BOOK, set: 'data.pricing.total', to: 2500 },
      ['price quote by a dry run', 'booking', 'idempotent repetition'],
      'the quote: pricing.total = 2400',
    ],
    'a repetition that is not told as one': [
      { on: BOOK, header: 'idempotent-replayed', to: null },
      ['idempotent repetition'],
      'Idempotent-Replayed: true',
    ],
    'a repetition that books again': [
      { on: BOOK, set: 'data.booking_id', to: 'bk_2', only: 3 },
      ['idempotent repetition'],
      'the answer: booking_id = bk_1',
    ],
    'another guest in the booking': [
      { on: 'GET /api/b2a/bookings/bk_1', set: 'data.user_name', to: 'Charles Babbage' },
      ['booking by its id'],
      'the booking: user_name = Ada Lovelace',
    ],
    'slots that are sold and still free': [
      { on: INVENTORY, set: 'data.inventory.0.available_slots', to: 10 },
      ['inventory after the booking'],
      'at most 8 slots are free',
    ],
    'a voucher that somebody else signed': [
      { forged: true },
      ['voucher QR code and its signature'],
      `the signed text: code = WM-BK1-SECRET`,
    ],
    'a mail that was never sent': [
      { on: 'GET /api/b2a/bookings/bk_1', set: 'data.email_sent', to: false },
      ['voucher mail'],
      'the booking: email_sent = true',
    ],
    'a body with a wrong X-Service-Signature': [
      { event: 'booking_confirmed', header: 'x-service-signature', to: `sha256=${'0'.repeat(64)}` },
      [CONFIRMED, LOG],
      'both signatures hold',
    ],
    'a body with a wrong webhook-signature': [
      { event: 'voucher_delivered', header: 'webhook-signature', to: `v1,${'A'.repeat(43)}=` },
      [DELIVERED, LOG],
      'both signatures hold',
    ],
    'a delivery as old as a replayed one': [
      { event: 'booking_confirmed', header: 'webhook-timestamp', to: '1763000000' },
      [CONFIRMED, LOG],
      'both signatures hold',
    ],
    'a delivery of another program': [
      { event: 'qr_verified', header: 'user-agent', to: 'curl/8' },
      ['webhook qr_verified'],
      'User-Agent is Waymark-Webhooks/0.1.0',
    ],
    'a mail that was never written': [
      { event: 'voucher_delivered', set: 'data.email_provider_id', to: 'bk_2.1@waymark.example.eml' },
      ['QR code in the voucher mail'],
      'the outbox: the mail bk_2.1@waymark.example.eml',
    ],
    'an event about another booking': [
      { event: 'voucher_delivered', set: 'data.booking_id', to: 'bk_2' },
      [DELIVERED],
      'voucher_delivered.data: booking_id = bk_1',
    ],
    'a hold whose price is not kept': [
      { on: 'POST /api/b2a/holds', set: 'data.pricing.unit_price', to: 1100 },
      ['booking of the hold'],
      'the booking: pricing = ',
    ],
    'a hold that is still open when it was used': [
      { on: 'GET /api/b2a/holds/hd_1', set: 'data.status', to: 'open' },
      ['booking of the hold'],
      'the hold: status = used',
    ],
    'a change that costs nothing': [
      { on: 'POST /api/b2a/bookings/bk_2/modify', set: 'data.new_pricing.total', to: 1200, only: 1 },
      ['booking change'],
      'the booking: new_pricing.total = 2400',
    ],
    'less given back than was quoted': [
      { on: 'POST /api/b2a/bookings/bk_2/cancel', set: 'data.refund_amount', to: 1200, only: 2 },
      ['cancellation and refund'],
      'the cancellation: refund_amount = 2400',
    ],
    'a quote that keeps some of what is free': [
      { on: 'POST /api/b2a/bookings/bk_2/cancel', set: 'data.refund_amount', to: 1200, only: 1 },
      ['cancellation and refund', 'webhook booking_cancelled', STATEMENT],
      'all of 2400 is quoted',
    ],
    'receivers told of another refund': [
      { event: 'booking_cancelled', set: 'data.refund_amount', to: 1 },
      ['webhook booking_cancelled'],
      'booking_cancelled.data: refund_amount = 2400',
    ],
    'a refund that is on no account': [
      { on: 'GET /api/keys/self/statement', set: 'data.items', to: [] },
      [STATEMENT],
      'charge 1200 THB, charge 1200 THB, refund 2400 THB',
    ],
    'events in the wrong order': [
      { event: 'qr_verified', set: 'sequence', to: 2 },
      ['event sequence'],
      'it grows over booking_confirmed, voucher_delivered, qr_verified',
    ],
    'an event that never arrives': [
      { event: 'booking_confirmed', never: true },
      [CONFIRMED],
      'the receiver: booking_confirmed within 15 s',
    ],
    'a delivery that the log tells as failed': [
      { on: 'GET /api/webhooks/deliveries', set: 'data.items.2.status', to: 'failed' },
      [LOG],
      'the delivery of qr_verified: status = success',
    ],
    'a second scan that lets somebody in': [
      { on: 'POST /api/venue/verify', set: 'success', to: true, only: 2 },
      ['second scan'],
      'it is answered 409 VOUCHER_ALREADY_VERIFIED',
    ],
    'a check-in of another device': [
      { on: 'POST /api/venue/verify', set: 'data.check_in_data.device_id', to: 'dev_2', only: 1 },
      ['gate check-in'],
      'the check-in: check_in_data.device_id = dev_1',
    ],
    'a visit that is no conversion': [
      { on: 'GET /api/analytics/conversions', set: 'data.items.1.visited', to: 0 },
      ['conversions'],
      'the row of our key: visited = 1',
    ],
    'a visit that nobody counts': [
      { on: 'GET /api/analytics/visits', set: 'data.items', to: [] },
      ['visits after the check-in'],
      'at least one visit more than 0, of two guests',
    ],
    'a visit that teaches nothing': [
      { on: RECOMMEND, set: 'data.recommendations.1.score_breakdown.ground_truth', to: 0.5 },
      ['recommendation after the visit'],
      'the ground truth of bkk-jazz is above 0.5',
    ],
    'a tool that is missing': [
      { on: 'POST /mcp', set: 'result.tools', to: [{ name: 'recommend' }], only: 2 },
      ['MCP tools'],
      'the tools are book, inventory, recommend',
    ],
    'a reference that needs the internet': [
      { on: 'GET /docs', status: 200, body: '<script src="https://cdn.example/reference.js"></script>' },
      ['API reference'],
      '/docs takes its scripts from the service itself',
    ],
    'a key that still works when it was given back': [
      { on: 'GET /api/health', set: 'code', to: 'SOMETHING_ELSE' },
      ['key deactivation'],
      'its next request is answered 403 KEY_INACTIVE',
    ],
  };

  test('a mail with the QR code of another voucher', async () => {
    const { outbox } = scriptedService([{ forged: true }]);
    const { results } = await played({ ...scriptedService(), outbox });
    expect(differences(results)).toEqual([expect.stringMatching(/^its QR code is the voucher’s; found \d+ bytes/)]);
  });

  test.each(Object.entries(cases))('%s', async (_, [lie, seenIn, expected]) => {
    const { journey, results } = await played(scriptedService([lie]));
    const seen = results.filter(({ outcome }) => outcome === 'differs');
    expect(seen.map(({ name }) => name)).toEqual([...seenIn]);
    expect(differences(seen).filter((difference) => difference.startsWith(expected))).not.toEqual([]);
    expect(journey.differing).toBe(seenIn.length);
  });
});

describe('a journey that cannot go on', () => {
  test('gives back what it made', async () => {
    const service = scriptedService([{ on: BOOK, status: 500, body: '{"success":false,"code":"INTERNAL_ERROR"}' }]);
    const { results } = await played(service);
    expect(results.slice(-3).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['price quote by a dry run', 'differs'],
      ['gate device removal', 'kept'],
      ['key deactivation', 'kept'],
    ]);
    expect(service.left()).toEqual({ keyActive: false, device: false });
  });

  test('tells that nobody answers', async () => {
    const service = scriptedService();
    const fetch = () => Promise.reject(new Error('Unable to connect'));
    const { results } = await played({ ...service, fetch });
    expect(results).toEqual([
      {
        name: 'service readiness',
        outcome: 'differs',
        facts: [],
        differences: [{ expected: 'an answer of the service', found: 'Error: Unable to connect' }],
        tookMs: 0,
      },
    ]);
  });
});

/** Plays with a clock that is moved on whenever somebody waits for it. */
async function played({ fetch, outbox }: Pick<JourneyOptions, 'fetch' | 'outbox'>) {
  const results: StepResult[] = [];
  const journey = await runJourney({
    url: SERVICE,
    adminToken: 'token',
    fetch,
    outbox,
    clock: hastyClock(),
    report: (result) => void results.push(result),
  });
  return { journey, results };
}

function hastyClock(): Clock {
  let nowMs = Date.parse(NOW);
  return {
    nowMs: () => nowMs,
    async until(atMs, signal) {
      if (signal?.aborted !== true) nowMs = Math.max(nowMs, atMs);
    },
  };
}

function differences(results: readonly StepResult[]): string[] {
  return results.flatMap((result) => result.differences.map(({ expected, found }) => `${expected}; found ${found}`));
}

function factsOf(results: readonly StepResult[], name: string): readonly string[] {
  return results.find((result) => result.name === name)?.facts ?? [];
}
