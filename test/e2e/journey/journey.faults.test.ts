import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { at } from '../../../src/cli/journey/json.ts';
import type { StepResult } from '../../../src/cli/journey/step.ts';
import { NOW, type Service } from '../../support/service.ts';
import type { Tamper } from './recorder.ts';
import { differences, open, run } from './run.ts';

/** The fault, the steps that report it, and the beginning of a difference that one of them reports. */
type Case = readonly [fault: Tamper, reportedBy: readonly string[], expected: string];

const BOOKING = /^GET \/api\/b2a\/bookings\/\w+$/;
const CONFIRMED = 'webhook booking_confirmed';

describe('the journey reports', () => {
  let service: Service;
  beforeAll(async () => {
    service = await open(NOW);
  });
  afterAll(() => service.stop());

  const cases: Readonly<Record<string, Case>> = {
    'a price other than the quoted one': [
      changed(/execute_booking$/, 'data.pricing.total', 1, 2),
      ['booking'],
      'the booking: pricing.total = ',
    ],
    'a repetition that books again': [
      changed(/execute_booking$/, 'data.booking_id', 'bk_2', 3),
      ['idempotent repetition'],
      'the answer: booking_id = bk_',
    ],
    'another guest in the booking': [
      changed(BOOKING, 'data.user_name', 'Charles Babbage', 1),
      ['booking by its id'],
      'the booking: user_name = Ada Lovelace',
    ],
    'slots that are sold and still free': [
      changed(/inventory$/, 'data.inventory.0.available_slots', 9_999, 3),
      ['inventory after the booking'],
      'at most ',
    ],
    'missing rate limits': [
      { answer: (operation, answer) => (operation === 'GET /api/b2a/inventory' ? bare(answer) : answer) },
      ['rate limits'],
      'RateLimit has a minute and a day',
    ],
    'a voucher that another key signed': [
      changed(/voucher-keys/, 'keys.0.x', Buffer.alloc(32, 1).toString('base64url')),
      ['voucher QR code and its signature'],
      'the signed text: code = WM-',
    ],
    'a mail that is not sent': [
      changed(BOOKING, 'data.email_sent', false),
      ['voucher mail'],
      'the booking: email_sent = true',
    ],
    'a wrong X-Service-Signature': [
      withHeader('booking_confirmed', 'x-service-signature', `sha256=${'0'.repeat(64)}`),
      [CONFIRMED],
      'the receiver: booking_confirmed with two valid signatures',
    ],
    'a wrong webhook-signature': [
      withHeader('booking_confirmed', 'webhook-signature', `v1,${'A'.repeat(43)}=`),
      [CONFIRMED],
      'the receiver: booking_confirmed with two valid signatures',
    ],
    'a delivery that is as old as a replayed one': [
      withHeader('booking_confirmed', 'webhook-timestamp', '1763000000'),
      [CONFIRMED],
      'the receiver: booking_confirmed with two valid signatures',
    ],
    'an event that never arrives': [
      { delivery: (headers, event) => (event === 'qr_verified' ? null : headers) },
      ['webhook qr_verified'],
      'the receiver: qr_verified with two valid signatures',
    ],
    'a delivery that failed according to the log': [
      changed(/deliveries$/, 'data.items.0.status', 'failed'),
      ['delivery log'],
      'the delivery of ',
    ],
    'a second scan that is accepted': [
      changed(/venue\/verify$/, 'success', true, 2),
      ['second scan'],
      'it is answered 409 VOUCHER_ALREADY_VERIFIED',
    ],
    'a check-in of another booking': [
      changed(/venue\/verify$/, 'data.booking_id', 'bk_2', 1),
      ['gate check-in'],
      'the check-in: booking_id = bk_',
    ],
    'a visit that the conversions do not count': [
      changed(/conversions$/, 'data.items', []),
      ['conversions'],
      'the row of our key: requests = 1',
    ],
    'a visit that the report does not count': [
      changed(/visits$/, 'data.items', []),
      ['visits after the check-in'],
      'at least one visit more than ',
    ],
    'a visit that does not change the ground truth': [
      {
        answer: async (operation, answer, count) =>
          operation === 'POST /api/b2a/recommend' && count > 1
            ? Response.json(JSON.parse((await answer.text()).replaceAll(/"ground_truth":[\d.]+/g, '"ground_truth":0')))
            : answer,
      },
      ['recommendation after the visit'],
      'the ground truth of ',
    ],
    'a hold whose price is not kept': [
      changed(/holds$/, 'data.pricing.unit_price', 1),
      ['booking of the hold'],
      'the booking: pricing = ',
    ],
    'a hold that is open after its use': [
      changed(/^GET .*\/holds\//, 'data.status', 'open'),
      ['booking of the hold'],
      'the hold: status = used',
    ],
    'a change that is not made': [
      changed(/modify$/, 'data.num_adults', 1, 1),
      ['booking change'],
      'the booking: num_adults = 2',
    ],
    'a refund other than the quoted one': [
      changed(/cancel$/, 'data.refund_amount', 1, 2),
      ['cancellation and refund'],
      'the cancellation: refund_amount = ',
    ],
    'a statement without the refund': [
      changed(/statement$/, 'data.items', []),
      ['statement'],
      'two charges and a refund of ',
    ],
    'a missing tool': [
      changed(/mcp$/, 'result.tools', [{ name: 'recommend' }], 2),
      ['MCP tools'],
      'the tools are book, inventory, recommend',
    ],
    'a reference that does not describe bookings': [
      changed(/openapi.json$/, 'paths', {}),
      ['API reference'],
      '/openapi.json describes execute_booking',
    ],
    'a key that still works after its deactivation': [
      changed(/api\/health$/, 'code', 'SOMETHING_ELSE'),
      ['key deactivation'],
      'its next request is answered 403 KEY_INACTIVE',
    ],
  };

  test.each(Object.entries(cases))('%s', async (_, [fault, reportedBy, expected]) => {
    const { results } = await run(service, fault, 20);
    expect(stepsThatDiffer(results)).toEqual([...reportedBy]);
    expect(differences(results).filter((difference) => difference.startsWith(expected))).not.toEqual([]);
  });
});

function bare(answer: Response): Response {
  return new Response(answer.body, { status: answer.status, headers: { 'content-type': 'application/json' } });
}

/** Replaces the value at a path of the answer to an operation, only the `nth` time if given. */
function changed(operation: RegExp, path: string, value: unknown, nth?: number): Tamper {
  return {
    async answer(requested, answer, count) {
      if (!operation.test(requested) || count !== (nth ?? count)) return answer;
      const body: unknown = await answer.json();
      const end = path.lastIndexOf('.');
      Reflect.set(Object(end < 0 ? body : at(body, path.slice(0, end))), path.slice(end + 1), value);
      return Response.json(body, answer);
    },
  };
}

function withHeader(event: string, name: string, value: string): Tamper {
  return {
    delivery(headers, delivered) {
      const replaced = new Headers(headers);
      if (delivered === event) replaced.set(name, value);
      return replaced;
    },
  };
}

function stepsThatDiffer(results: readonly StepResult[]): string[] {
  return results.filter(({ outcome }) => outcome === 'differs').map(({ name }) => name);
}
