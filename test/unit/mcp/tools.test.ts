import { describe, expect, test } from 'bun:test';
import { openRestConnection, type SendInit } from '../../../src/mcp/rest.ts';
import type { Tool } from '../../../src/mcp/tool.ts';
import { bookTool } from '../../../src/mcp/tools/book.ts';
import { inventoryTool } from '../../../src/mcp/tools/inventory.ts';
import { recommendTool } from '../../../src/mcp/tools/recommend.ts';

/** Calls a tool against a stub service, and returns the result and the requests sent. */
async function called(tool: Tool, args: object, answer: () => Response | Promise<Response>) {
  const sent: (Omit<SendInit, 'body'> & { readonly path: string; readonly body: unknown })[] = [];
  const rest = openRestConnection(
    async (path, { body = 'null', ...request }) => {
      sent.push({ path, ...request, body: JSON.parse(body) });
      return answer();
    },
    { 'x-api-key': 'key' },
  );
  return { result: await tool.call({ ...args }, rest), sent };
}

function data(body: object, headers: Record<string, string> = {}): () => Response {
  return () => Response.json({ success: true, data: body }, { headers });
}

function failure(body: object, status: number, headers: Record<string, string> = {}): () => Response {
  return () => Response.json({ success: false, error: 'It is so.', details: '', ...body }, { status, headers });
}

function textOf({ content }: Awaited<ReturnType<Tool['call']>>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n---\n');
}

const CONTEXT = {
  log_id: 'rec_1',
  user_profile_summary: 'A couple who likes spas',
  environment_summary: '31 °C, rain in the afternoon',
};
const RECOMMENDATION = {
  id: 'river-walk',
  title: 'River Walk',
  description: 'Along the river.',
  category: 'cultural',
  price: 120.5,
  currency: 'THB',
  relevance_score: 87.25,
  recommendation_reason: 'Dry until noon.',
  is_flash_deal: false,
};

describe('recommend', () => {
  test('sends the flat arguments as profile and location, and returns the response', async () => {
    const args = { travel_type: 'couple', city: 'Bangkok', interests: ['spa'], budget: 'mid', lat: 13.75, lon: 100.5 };
    const answer = { recommendations: [RECOMMENDATION], context: CONTEXT, something_new: true };
    const { result, sent } = await called(recommendTool, args, data(answer));
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/b2a/recommend',
        headers: { 'x-api-key': 'key', 'content-type': 'application/json' },
        body: {
          user_profile: { travel_type: 'couple', interests: ['spa'], budget: 'mid' },
          location: { city: 'Bangkok', lat: 13.75, lon: 100.5 },
        },
      },
    ]);
    expect(result).toEqual({
      structuredContent: answer,
      content: [
        {
          type: 'text',
          text: '1 recommended, the best first. To book one, send its id as activity_id and rec_1 as context_log_id to the tool book. 31 °C, rain in the afternoon',
        },
        { type: 'text', text: JSON.stringify(answer) },
      ],
    });
  });

  test('leaves out missing arguments, and forwards arguments that violate its schema', async () => {
    const { sent } = await called(recommendTool, { travel_type: 7, lat: null }, data({}));
    expect(sent[0]?.body).toEqual({ user_profile: { travel_type: 7 }, location: {} });
  });

  test('names its own parameters in errors, not the fields of the request body', async () => {
    const error = 'user_profile.travel_type must be one of family, couple; it was 7. location.lat is missing.';
    const refuse = failure({ code: 'INVALID_PROFILE', error, details: error, resolution: 'fix_request' }, 400);
    const { result } = await called(recommendTool, {}, refuse);
    expect(textOf(result)).toBe(
      'INVALID_PROFILE: travel_type must be one of family, couple; it was 7. lat is missing.\nWhat to do: correct the arguments named above and call the tool again. It takes travel_type, city, interests, budget, lat, lon, date, date_to, guests, and nothing else.',
    );
  });
});

describe('inventory', () => {
  test('sends its arguments as a query', async () => {
    const args = { city: 'Ho Chi Minh', date: '2026-11-21', category: 'spa', flash_deals_only: true };
    const { sent } = await called(inventoryTool, args, data({}));
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/api/b2a/inventory?city=Ho+Chi+Minh&date=2026-11-21&category=spa&flash_deals_only=true',
        headers: { 'x-api-key': 'key' },
        body: null,
      },
    ]);
  });
});

const WISH = {
  activity_id: 'river-walk',
  user_email: 'ada@example.com',
  user_name: 'Ada Lovelace',
  booking_date: '2026-11-21',
  num_adults: 2,
};
const CODES = { code: 'WM-1', short_code: '0123456789', url: 'https://example.com/' };
const BOOKING = {
  ...WISH,
  booking_id: 'bk_1',
  status: 'confirmed',
  num_children: 0,
  voucher: { ...CODES, qr_url: 'https://example.com/qr.png', valid_until: '2026-11-21T11:00:00.000Z' },
  activity: { id: 'river-walk', title: 'River Walk', location: '1 Pier Road', check_in_instructions: 'Show it.' },
  pricing: { unit_price: 120.5, total_guests: 2, subtotal: 241, discount: 0, total: 241, currency: 'THB' },
  email_sent: true,
  email_sent_at: '2026-11-21T03:00:05.000Z',
};

async function keyOf(args: object): Promise<string | undefined> {
  const { sent } = await called(bookTool, args, data(BOOKING));
  return sent[0]?.headers['idempotency-key'];
}

describe('book', () => {
  test('derives the idempotency key from all arguments that identify a booking', async () => {
    const same = [
      WISH,
      { ...WISH, num_children: 0 },
      { ...WISH, context_log_id: null },
      { ...WISH, expected_total: 241 },
      { ...WISH, num_adults: '2', num_children: '0' },
    ];
    const others = [
      { ...WISH, activity_id: 'night-market' },
      { ...WISH, user_email: 'grace@example.com' },
      { ...WISH, user_name: 'Grace Hopper' },
      { ...WISH, booking_date: '2026-11-22' },
      { ...WISH, num_adults: 3 },
      { ...WISH, num_children: 1 },
      { ...WISH, context_log_id: 'rec_1' },
    ];
    const key = await keyOf(WISH);
    expect(key).toMatch(/^mcp:[\w-]{43}$/);
    expect(await Promise.all(same.map(keyOf))).toEqual(same.map(() => key));
    expect(new Set(await Promise.all([WISH, ...others].map(keyOf))).size).toBe(others.length + 1);
  });

  test("sends the caller's key unchanged, or as a digest if a header cannot hold it", async () => {
    expect(await keyOf({ ...WISH, idempotency_key: 'trip 42' })).toBe('trip 42');
    expect(await keyOf({ ...WISH, idempotency_key: 'x'.repeat(300) })).toBe('x'.repeat(300));
    const digests = await Promise.all(
      ['แรก', 'สอง', 'a\nb', 42].map((key) => keyOf({ ...WISH, idempotency_key: key })),
    );
    expect(new Set(digests).size).toBe(4);
    for (const digest of digests) expect(digest).toMatch(/^mcp:[\w-]{43}$/);
  });

  const WHAT = 'River Walk on 2026-11-21 for 2 guests, 241 THB. Booking bk_1';
  const ANOTHER = 'call book with an idempotency_key of your own that is new.';
  test.each([
    [{}, false, `Booked (confirmed): ${WHAT}, voucher WM-1. The voucher was mailed to ada@example.com.`],
    [
      { email_sent: false },
      false,
      `Booked (confirmed): ${WHAT}, voucher WM-1. The mail to ada@example.com is not sent yet.`,
    ],
    [
      { status: 'pending', voucher: null },
      false,
      `Taken (pending): ${WHAT}. Nothing is charged yet; the voucher comes once it is confirmed.`,
    ],
    [
      { status: 'processing', voucher: null },
      false,
      `Taken (processing): ${WHAT}. Call book again with the same arguments in a few seconds to see the result.`,
    ],
    [
      {},
      true,
      `Nothing was booked or charged now: an earlier call with these arguments made booking bk_1 (confirmed), shown here as it is now. For a second, separate booking, ${ANOTHER}`,
    ],
    [
      { status: 'cancelled' },
      true,
      `Nothing was booked now: an earlier call with these arguments made booking bk_1, which is cancelled. To book it again, ${ANOTHER}`,
    ],
  ])('given a booking with %j, replayed %p, summarizes the result', async (change, replayed, sentence) => {
    const booking = { ...BOOKING, ...change };
    const headers: Record<string, string> = replayed ? { 'idempotent-replayed': 'true' } : {};
    const { result } = await called(bookTool, WISH, data(booking, headers));
    expect(result.structuredContent).toEqual({ ...booking, idempotent_replayed: replayed });
    expect(result.content[0]).toEqual({ type: 'text', text: sentence });
  });
});

describe('a refusal', () => {
  const SAFE = 'It is safe to repeat: the same arguments never book or charge twice.';

  test('that is temporary says when to retry, and that repeating a booking is safe', async () => {
    const refuse = failure(
      { code: 'SERVICE_UNAVAILABLE', details: 'reason: contended', resolution: 'retry_later', retryable: true },
      503,
      { 'retry-after': '2' },
    );
    const { result } = await called(bookTool, WISH, refuse);
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: `SERVICE_UNAVAILABLE: It is so.\nreason: contended\nWhat to do: call the tool again with the same arguments after 2 seconds. ${SAFE}`,
        },
      ],
      _meta: {
        'waymark/failure': {
          code: 'SERVICE_UNAVAILABLE',
          error: 'It is so.',
          details: 'reason: contended',
          resolution: 'retry_later',
          retryable: true,
          retry_after_seconds: 2,
        },
      },
    });
  });

  test.each([
    ['retry_later', [], 'call the tool again with the same arguments later.'],
    [
      'fix_request',
      [],
      'correct the arguments named above and call the tool again. It takes city, date, date_to, category, flash_deals_only, and nothing else.',
    ],
    ['choose_other', [], 'offer the user something else: another activity, another date or fewer conditions.'],
    [
      'choose_other',
      [{ booking_date: '2026-11-22' }],
      'offer the user one of the alternatives below, and call the tool again with it.',
    ],
    [
      'contact_operator',
      [],
      'do not repeat the call; show the user the error above: only the operator of the service can fix it.',
    ],
    [
      'of a later version',
      [],
      'do not repeat the call; show the user the error above: only the operator of the service can fix it.',
    ],
  ])('with the resolution "%s" and alternatives %j says what to do', async (resolution, alternatives, advice) => {
    const { result } = await called(inventoryTool, {}, failure({ code: 'SOME_CODE', resolution, alternatives }, 409));
    const offered = alternatives.length === 0 ? '' : `\nAlternatives: ${JSON.stringify(alternatives)}`;
    expect(textOf(result)).toBe(`SOME_CODE: It is so.\nWhat to do: ${advice}${offered}`);
  });
});

describe('a service without a valid answer', () => {
  test('gives NO_ANSWER, with what to do and whether repeating is safe', async () => {
    const { result } = await called(bookTool, WISH, () => Promise.reject(new Error('connection refused')));
    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'NO_ANSWER: The Waymark service did not answer (connection refused).\nWhat to do: call the tool again with the same arguments after a few seconds. It is safe to repeat: the same arguments never book or charge twice. If it still does not answer, tell the user to start the service (waymark serve) or to set its address in WAYMARK_URL.',
        },
      ],
    });
  });

  test('gives NO_ANSWER for a proxy error', async () => {
    const proxy = () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const { result } = await called(bookTool, WISH, proxy);
    expect(textOf(result)).toStartWith('NO_ANSWER: The Waymark service did not answer (status 502).\n');
  });

  test.each([
    ['a page', () => new Response('<h1>Hello</h1>', { status: 404 }), 404],
    ['other JSON', () => Response.json({ ok: true }), 200],
    ['data that is no inventory', data({ inventory: [{ activity_id: 7 }] }), 200],
  ])('with %s gives UNEXPECTED_ANSWER', async (_what, answer, status) => {
    const { result } = await called(inventoryTool, { city: 'Bangkok' }, answer);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toStartWith(
      `UNEXPECTED_ANSWER: The response (status ${status}) is not from a Waymark service`,
    );
  });
});
