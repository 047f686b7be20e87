import { describe, expect, test } from 'bun:test';
import { type JourneyOptions, playJourney } from '../../../src/journey/journey.ts';
import type { StepResult } from '../../../src/journey/step.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Lie } from './lies.ts';
import { NOW, SERVICE, scriptedService } from './scripted-service.ts';

const STEPS = [
  'the service is ready',
  'a key of our own, with a webhook receiver',
  'GET /api/health knows it',
  'each request is counted against the plan',
  'a recommendation for a couple in Bangkok',
  'the inventory says what is free today',
  'a gate device at its venue',
  'a dry run quotes the price and books nothing',
  'the booking is confirmed',
  'the same request again is the same booking',
  'the booking can be read by its id',
  'the inventory shows fewer slots',
  'the voucher is a page to print',
  'its QR code can be read, and its signature holds',
  'the voucher is mailed',
  'booking_confirmed arrives, and both signatures hold',
  'voucher_delivered arrives, and both signatures hold',
  'the mail holds the QR code',
  'analytics tell the visits so far',
  'the gate lets the guests in',
  'a second scan is refused',
  'qr_verified arrives, and both signatures hold',
  'sequence says in which order they happened',
  'the delivery log tells them as successes',
  'conversions lead from the recommendation to the visit',
  'visits count the guests',
  'the visit counts for travellers alike',
  'another day has places',
  'a hold keeps a place and its price',
  'the booking takes the hold',
  'a second guest comes along',
  'booking_modified arrives, and both signatures hold',
  'it is cancelled, and refunded as quoted',
  'booking_cancelled arrives, and both signatures hold',
  'the statement tells what was charged and refunded',
  'agents find the tools over MCP',
  'the inventory tool answers',
  'the API reference is there',
  'the gate device is taken away',
  'the key is given back',
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
    expect(factsOf(results, 'the inventory says what is free today')).toEqual([
      '2 bookable on 2026-11-21',
      'Live jazz on 2026-11-21, 10 free',
    ]);
  });

  test('at an hour when nothing opens any more, sees the gate refuse what is for another day', async () => {
    const { journey, results } = await played(scriptedService([], true));
    expect(differences(results)).toEqual([]);
    expect(journey.leftOut).toBe(2);
    expect(factsOf(results, 'the visit, and what is learnt of it')).toEqual([
      'nothing in the city can be entered any more today',
    ]);
  });

  test('leaves the mail alone where a mail server has it, or another machine', async () => {
    const elsewhere = await played({ ...scriptedService(), outbox: null });
    expect(differences(elsewhere.results)).toEqual([]);
    expect(elsewhere.journey.leftOut).toBe(1);
    const sent = { event: 'voucher_delivered', set: 'data.email_provider_id', to: '250 queued as 1' };
    const { results } = await played(scriptedService([sent]));
    expect(differences(results)).toEqual([]);
    expect(factsOf(results, 'the mail holds the QR code')).toEqual(['a mail server has it, as 250 queued as 1']);
  });
});

/** A lie, the steps in which it is seen, and the beginning of what one of them says was expected. */
type Case = readonly [lie: Lie, seenIn: readonly string[], expected: string];

const BOOK = 'POST /api/b2a/execute_booking';
const RECOMMEND = 'POST /api/b2a/recommend';
const INVENTORY = 'GET /api/b2a/inventory';
const RECOMMENDED = 'a recommendation for a couple in Bangkok';
const CONFIRMED = 'booking_confirmed arrives, and both signatures hold';
const DELIVERED = 'voucher_delivered arrives, and both signatures hold';
const STATEMENT = 'the statement tells what was charged and refunded';
const LOG = 'the delivery log tells them as successes';

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
      ['each request is counted against the plan'],
      'RateLimit "minute" goes down by one',
    ],
    'a price that is not the one recommended': [
      { on: BOOK, set: 'data.pricing.total', to: 2500 },
      [
        'a dry run quotes the price and books nothing',
        'the booking is confirmed',
        'the same request again is the same booking',
      ],
      'the quote: pricing.total = 2400',
    ],
    'a repetition that is not told as one': [
      { on: BOOK, header: 'idempotent-replayed', to: null },
      ['the same request again is the same booking'],
      'Idempotent-Replayed: true',
    ],
    'a repetition that books again': [
      { on: BOOK, set: 'data.booking_id', to: 'bk_2', only: 3 },
      ['the same request again is the same booking'],
      'the answer: booking_id = bk_1',
    ],
    'another guest in the booking': [
      { on: 'GET /api/b2a/bookings/bk_1', set: 'data.user_name', to: 'Charles Babbage' },
      ['the booking can be read by its id'],
      'the booking: user_name = Ada Lovelace',
    ],
    'slots that are sold and still free': [
      { on: INVENTORY, set: 'data.inventory.0.available_slots', to: 10 },
      ['the inventory shows fewer slots'],
      'at most 8 slots are free',
    ],
    'a voucher that somebody else signed': [
      { forged: true },
      ['its QR code can be read, and its signature holds'],
      `the signed text: code = WM-BK1-SECRET`,
    ],
    'a mail that was never sent': [
      { on: 'GET /api/b2a/bookings/bk_1', set: 'data.email_sent', to: false },
      ['the voucher is mailed'],
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
      ['qr_verified arrives, and both signatures hold'],
      'User-Agent is Waymark-Webhooks/0.1.0',
    ],
    'a mail that was never written': [
      { event: 'voucher_delivered', set: 'data.email_provider_id', to: 'bk_2.1@waymark.example.eml' },
      ['the mail holds the QR code'],
      'the outbox: the mail bk_2.1@waymark.example.eml',
    ],
    'an event about another booking': [
      { event: 'voucher_delivered', set: 'data.booking_id', to: 'bk_2' },
      [DELIVERED],
      'voucher_delivered.data: booking_id = bk_1',
    ],
    'a hold whose price is not kept': [
      { on: 'POST /api/b2a/holds', set: 'data.pricing.unit_price', to: 1100 },
      ['the booking takes the hold'],
      'the booking: pricing = ',
    ],
    'a hold that is still open when it was used': [
      { on: 'GET /api/b2a/holds/hd_1', set: 'data.status', to: 'open' },
      ['the booking takes the hold'],
      'the hold: status = used',
    ],
    'a change that costs nothing': [
      { on: 'POST /api/b2a/bookings/bk_2/modify', set: 'data.new_pricing.total', to: 1200, only: 1 },
      ['a second guest comes along'],
      'the booking: new_pricing.total = 2400',
    ],
    'less given back than was quoted': [
      { on: 'POST /api/b2a/bookings/bk_2/cancel', set: 'data.refund_amount', to: 1200, only: 2 },
      ['it is cancelled, and refunded as quoted'],
      'the cancellation: refund_amount = 2400',
    ],
    'a quote that keeps some of what is free': [
      { on: 'POST /api/b2a/bookings/bk_2/cancel', set: 'data.refund_amount', to: 1200, only: 1 },
      ['it is cancelled, and refunded as quoted', 'booking_cancelled arrives, and both signatures hold', STATEMENT],
      'all of 2400 is quoted',
    ],
    'receivers told of another refund': [
      { event: 'booking_cancelled', set: 'data.refund_amount', to: 1 },
      ['booking_cancelled arrives, and both signatures hold'],
      'booking_cancelled.data: refund_amount = 2400',
    ],
    'a refund that is on no account': [
      { on: 'GET /api/keys/self/statement', set: 'data.items', to: [] },
      [STATEMENT],
      'charge 1200 THB, charge 1200 THB, refund 2400 THB',
    ],
    'events in the wrong order': [
      { event: 'qr_verified', set: 'sequence', to: 2 },
      ['sequence says in which order they happened'],
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
      ['a second scan is refused'],
      'it is answered 409 VOUCHER_ALREADY_VERIFIED',
    ],
    'a check-in of another device': [
      { on: 'POST /api/venue/verify', set: 'data.check_in_data.device_id', to: 'dev_2', only: 1 },
      ['the gate lets the guests in'],
      'the check-in: check_in_data.device_id = dev_1',
    ],
    'a visit that is no conversion': [
      { on: 'GET /api/analytics/conversions', set: 'data.items.1.visited', to: 0 },
      ['conversions lead from the recommendation to the visit'],
      'the row of our key: visited = 1',
    ],
    'a visit that nobody counts': [
      { on: 'GET /api/analytics/visits', set: 'data.items', to: [] },
      ['visits count the guests'],
      'at least one visit more than 0, of two guests',
    ],
    'a visit that teaches nothing': [
      { on: RECOMMEND, set: 'data.recommendations.1.score_breakdown.ground_truth', to: 0.5 },
      ['the visit counts for travellers alike'],
      'the ground truth of bkk-jazz is above 0.5',
    ],
    'a tool that is missing': [
      { on: 'POST /mcp', set: 'result.tools', to: [{ name: 'recommend' }], only: 2 },
      ['agents find the tools over MCP'],
      'the tools are book, inventory, recommend',
    ],
    'a reference that needs the internet': [
      { on: 'GET /docs', status: 200, body: '<script src="https://cdn.example/reference.js"></script>' },
      ['the API reference is there'],
      '/docs takes its scripts from the service itself',
    ],
    'a key that still works when it was given back': [
      { on: 'GET /api/health', set: 'code', to: 'SOMETHING_ELSE' },
      ['the key is given back'],
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
      ['a dry run quotes the price and books nothing', 'differs'],
      ['the gate device is taken away', 'kept'],
      ['the key is given back', 'kept'],
    ]);
    expect(service.left()).toEqual({ keyActive: false, device: false });
  });

  test('tells that nobody answers', async () => {
    const service = scriptedService();
    const fetch = () => Promise.reject(new Error('Unable to connect'));
    const { results } = await played({ ...service, fetch });
    expect(results).toEqual([
      {
        name: 'the service is ready',
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
  const journey = await playJourney({
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
