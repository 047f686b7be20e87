import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connectTo, type ToolClient } from '../../support/mcp.ts';
import { A_WISH, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import type { Recommendations } from '../../support/service-answers.ts';

let service: Service;
let tools: ToolClient;
beforeAll(async () => {
  service = await openService();
  tools = await connectTo(service, service.key);
});
afterAll(async () => {
  await tools[Symbol.asyncDispose]();
  await service.stop();
});

/** Without what the first of two answers changes in the second one, if the service has counted it as shown. */
function uncounted({ recommendations }: Recommendations): object[] {
  return recommendations
    .map((shown) => ({
      ...shown,
      relevance_score: null,
      score_breakdown: { ...shown.score_breakdown, ground_truth: null },
    }))
    .toSorted((left, right) => left.id.localeCompare(right.id));
}

async function confirmed(): Promise<number> {
  return (await service.events()).filter(({ type }) => type.startsWith('BookingConfirmed')).length;
}

describe('the tools', () => {
  test('are three, with the parameters of the specification and every hint', async () => {
    const { tools: listed } = await tools.client.listTools();
    expect(
      listed.map(({ name, inputSchema, annotations }) => ({
        name,
        parameters: Object.keys(inputSchema.properties ?? {}),
        required: inputSchema.required,
        annotations,
      })),
    ).toEqual([
      {
        name: 'recommend',
        parameters: ['travel_type', 'city', 'interests', 'budget', 'lat', 'lon', 'date', 'date_to', 'guests'],
        required: ['travel_type'],
        annotations: {
          title: 'Recommend activities',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: false,
        },
      },
      {
        name: 'inventory',
        parameters: ['city', 'date', 'date_to', 'category', 'flash_deals_only'],
        required: ['city'],
        annotations: {
          title: 'Availability and prices',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      {
        name: 'book',
        parameters: [
          'activity_id',
          'user_email',
          'user_name',
          'booking_date',
          'num_adults',
          'num_children',
          'context_log_id',
          'expected_total',
          'dry_run',
          'idempotency_key',
        ],
        required: ['activity_id', 'user_email', 'user_name', 'booking_date', 'num_adults'],
        annotations: {
          title: 'Book an activity',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
    ]);
    for (const { outputSchema, description, inputSchema } of listed) {
      expect(outputSchema?.type).toBe('object');
      expect(description).toMatch(/\.$/);
      for (const parameter of Object.values(inputSchema.properties ?? {}))
        expect(parameter).toMatchObject({ description: expect.stringMatching(/\.$/) });
    }
  });

  test('are listed for clients without a key, with instructions', async () => {
    await using keyless = await connectTo(service, {});
    expect((await keyless.client.listTools()).tools).toHaveLength(3);
    expect(keyless.client.getServerVersion()).toMatchObject({ name: 'waymark', version: service.node.context.version });
    expect(keyless.client.getInstructions()).toContain('Before you call book, let the user agree');
    expect(keyless.client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  });

  test('give an error for an unknown tool', async () => {
    const fault = await tools.call('cancel', {}).catch(String);
    expect(fault).toContain('there is no tool "cancel"; there are recommend, inventory, book');
  });
});

describe('recommend', () => {
  const ARGS = {
    travel_type: 'couple',
    city: 'Bangkok',
    interests: ['cultural'],
    budget: 'mid',
    lat: 13.75,
    lon: 100.5,
  };
  const BODY = {
    user_profile: { travel_type: 'couple', interests: ['cultural'], budget: 'mid' },
    location: { city: 'Bangkok', lat: 13.75, lon: 100.5 },
  };
  const recommend = (body: object) => service.post<Recommendations>('/api/b2a/recommend', body, service.key);

  test('returns the answer of the REST API, with its own log id', async () => {
    const { failed, content, texts } = await tools.call('recommend', ARGS);
    const { data } = await recommend(BODY);
    const context = { ...data.context, log_id: expect.stringMatching(/^rec_/) };
    const fromTool: Recommendations = JSON.parse(texts[1] ?? '');
    expect({ failed, content }).toEqual({ failed: false, content: { ...fromTool } });
    expect({ ...fromTool, recommendations: uncounted(fromTool) }).toEqual({
      ...data,
      context,
      recommendations: uncounted(data),
    });
    expect(data.recommendations.length).toBeGreaterThan(1);
    expect(texts).toEqual([expect.stringContaining('recommended, the best first.'), JSON.stringify(content)]);
  });

  test('returns a log id that book accepts', async () => {
    const { texts } = await tools.call('recommend', ARGS);
    const answer: Recommendations = JSON.parse(texts[1] ?? '');
    const [best] = answer.recommendations;
    const logId = answer.context.log_id;
    const wish = { ...A_WISH, activity_id: best?.id, booking_date: best?.available_date, context_log_id: logId };
    const booked = await tools.call('book', wish);
    expect((await service.booking(String(booked.content?.['booking_id']))).data).toMatchObject({
      activity: { id: best?.id },
      context_log_id: logId,
    });
  });

  test('names its own parameters in errors', async () => {
    const { texts } = await tools.call('recommend', { travel_type: 'herd', lat: 13.75 });
    expect(texts[0]).toStartWith(
      'INVALID_PROFILE: travel_type must be one of family, couple, solo, business, friends; it was "herd".\n',
    );
    expect(texts[0]).toContain(' lon is missing; send it with lat, or neither.\nWhat to do: ');
  });

  test('without results names cities with activities', async () => {
    const { failed, content, texts } = await tools.call('recommend', { travel_type: 'solo', city: 'Phuket' });
    expect({ failed, code: content?.['code'] }).toEqual({ failed: true, code: 'NO_ACTIVITIES' });
    expect(texts[0]).toContain('Alternatives: [{"city":"Bangkok"}');
  });
});

describe('inventory', () => {
  test('returns the answer of the REST API, also as text', async () => {
    const { data } = await service.inventory(`city=krung%20thep&date=${TOMORROW}&category=cultural`);
    const answer = await tools.call('inventory', { city: 'krung thep', date: TOMORROW, category: 'cultural' });
    expect(answer).toEqual({
      failed: false,
      content: { ...data },
      texts: [
        `2 of 2 bookable activities in Bangkok on ${TOMORROW}. To book one, send its activity_id to the tool book. Understood: city "krung thep" as "Bangkok".`,
        JSON.stringify(data),
      ],
    });
  });

  test('applies defaults to missing and null arguments', async () => {
    const { data } = await service.inventory('city=Bangkok');
    const sent = { city: 'Bangkok', date: null, category: null, flash_deals_only: false };
    expect((await tools.call('inventory', sent)).content).toEqual({ ...data });
  });

  test('understands tomorrow', async () => {
    const { data } = await service.inventory('city=Bangkok&date=tomorrow');
    expect((await tools.call('inventory', { city: 'Bangkok', date: 'tomorrow' })).content).toEqual({ ...data });
    expect(data.metadata.query_date).toBe(TOMORROW);
  });

  test("uses the caller's language", async () => {
    await using thai = await connectTo(service, { ...service.key, 'accept-language': 'th' });
    const { data } = await service.inventory('city=Singapore', { 'accept-language': 'th' });
    expect((await thai.call('inventory', { city: 'Singapore' })).content).toEqual({ ...data });
    expect((await tools.call('inventory', { city: 'Singapore' })).content).not.toEqual({ ...data });
  });

  test('of an unknown city gives a tool error that names the cities', async () => {
    const { failed, texts, content } = await tools.call('inventory', { city: 'Atlantis' });
    const { refusal } = await service.inventory('city=Atlantis');
    const { status, ...failure } = refusal;
    expect({ failed, status, content }).toEqual({ failed: true, status: 400, content: failure });
    expect(texts).toEqual([
      `INVALID_CITY: ${refusal.error}\nWhat to do: correct the arguments named above and call the tool again. It takes city, date, date_to, category, flash_deals_only, and nothing else.\nAlternatives: ${JSON.stringify(refusal.alternatives)}`,
    ]);
  });

  test.each([
    [
      { city: 'Bangkok', date: 'soon' },
      'INVALID_DATE',
      'date must be a date as YYYY-MM-DD, or today, tomorrow or a weekday; it was "soon"; today in Bangkok is',
    ],
    [
      { city: 'Bangkok', flash_deals_only: 'yes' },
      'INVALID_REQUEST',
      'flash_deals_only must be true or false; it was "yes".',
    ],
    [{ city: 7 }, 'INVALID_CITY', 'city "7" is not in the service area; it must be one of'],
    [{ city: 'Bangkk' }, 'INVALID_CITY', 'city "Bangkk" is not a known place; did you mean "Bangkok"?'],
    [{}, 'INVALID_REQUEST', 'city is missing; send one of'],
  ])('given the invalid arguments %j, returns the error of the REST API', async (args, code, sentence) => {
    const { failed, texts, content } = await tools.call('inventory', args);
    expect({ failed, code: content?.['code'] }).toEqual({ failed: true, code });
    expect(texts[0]?.replaceAll('\\"', '"')).toStartWith(`${code}: ${sentence.replaceAll('\\"', '"')}`);
  });
});

describe('book', () => {
  test('makes a booking that the REST API returns, with its voucher', async () => {
    const answer = await tools.call('book', { ...A_WISH, num_children: 1 });
    const id = String(answer.content?.['booking_id']);
    const { data } = await service.booking(id);
    expect(answer).toEqual({
      failed: false,
      content: { ...data, idempotent_replayed: false },
      texts: [
        `Booked (confirmed): River Walk (en) on ${TOMORROW} for 3 guests, 361.5 THB. Booking ${id}, voucher ${data.voucher.code}. The mail to ada@example.com is not sent yet.`,
        JSON.stringify({ ...data, idempotent_replayed: false }),
      ],
    });
    expect((await service.send(new URL(data.voucher.qr_url).pathname)).status).toBe(200);
  });

  test('given the same arguments again, books nothing and returns the booking', async () => {
    const wish = { ...A_WISH, user_name: 'Grace Hopper', num_adults: 1 };
    const first = await tools.call('book', wish);
    const { length } = await service.events();
    const again = await tools.call('book', { ...wish, num_children: 0, context_log_id: null, idempotency_key: '' });
    expect(again.content).toEqual({ ...first.content, idempotent_replayed: true });
    expect(again.texts[0]).toBe(
      `Nothing was booked or charged now: an earlier call with these arguments made booking ${String(first.content?.['booking_id'])} (confirmed), shown here as it is now. For a second, separate booking, call book with an idempotency_key of your own that is new.`,
    );
    expect(await service.events()).toHaveLength(length);
  });

  test('given the same arguments at the same time, books once', async () => {
    const wish = { ...A_WISH, activity_id: 'night-market', user_name: 'Twice' };
    const before = await confirmed();
    const answers = await Promise.all([1, 2, 3].map(() => tools.call('book', wish)));
    const ids = answers.filter(({ failed }) => !failed).map(({ content }) => content?.['booking_id']);
    expect(new Set(ids).size).toBe(1);
    for (const { failed, content } of answers) if (failed) expect(content?.['code']).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(await confirmed()).toBe(before + 1);
  });

  test.each(['second-evening', 'ครั้งที่สอง'])(
    'given the key %s of its own, books a second time, and that once',
    async (key) => {
      const wish = { ...A_WISH, activity_id: 'paper-museum', user_name: key };
      const own = { ...wish, idempotency_key: key };
      const [first, second] = [await tools.call('book', wish), await tools.call('book', own)];
      const again = await tools.call('book', own);
      expect(second.content?.['idempotent_replayed']).toBe(false);
      expect(second.content?.['booking_id']).not.toBe(first.content?.['booking_id']);
      expect(again.content).toEqual({ ...second.content, idempotent_replayed: true });
    },
  );

  test('given a key that was used with other arguments, refuses and says what to do', async () => {
    const wish = { ...A_WISH, activity_id: 'paper-museum', idempotency_key: 'one-wish' };
    await tools.call('book', wish);
    const { failed, content, texts } = await tools.call('book', { ...wish, num_adults: 3 });
    expect({ failed, code: content?.['code'] }).toEqual({ failed: true, code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(texts[0]).toContain(
      'What to do: correct the arguments named above and call the tool again. It takes activity_id, ',
    );
  });

  test('given a date without enough slots, offers dates that have them', async () => {
    await service.book({ booking_date: TODAY, num_adults: 9 });
    const { failed, texts, content } = await tools.call('book', { ...A_WISH, booking_date: TODAY });
    const { refusal } = await service.book({ booking_date: TODAY });
    const { status, ...failure } = refusal;
    expect({ failed, status, content }).toEqual({ failed: true, status: 409, content: failure });
    expect(refusal.alternatives?.length).toBeGreaterThan(0);
    expect(texts).toEqual([
      [
        `INVENTORY_EXHAUSTED: ${refusal.error}`,
        refusal.details,
        'What to do: offer the user one of the alternatives below, and call the tool again with it.',
        `Alternatives: ${JSON.stringify(refusal.alternatives)}`,
      ].join('\n'),
    ]);
  });

  test('given several invalid arguments, names them all', async () => {
    const { failed, texts } = await tools.call('book', { ...A_WISH, user_email: 'nobody', num_adults: 'two' });
    expect({ failed, texts }).toEqual({
      failed: true,
      texts: [
        [
          'INVALID_EMAIL: user_email must be a valid e-mail address; it was "nobody".',
          'user_email must be a valid e-mail address; it was "nobody". num_adults must be a whole number from 1 to 20; it was "two".',
          `What to do: correct the arguments named above and call the tool again. It takes activity_id, user_email, user_name, booking_date, num_adults, num_children, context_log_id, expected_total, dry_run, idempotency_key, and nothing else.`,
        ].join('\n'),
      ],
    });
  });
});

describe('the caller', () => {
  const toTheUser =
    'What to do: do not repeat the call; tell the user to set the API key in the configuration of the MCP client: the header x-api-key over HTTP, the variable WAYMARK_API_KEY for waymark mcp.';

  test.each([
    [{}, 'MISSING_API_KEY'],
    [withKey('f'.repeat(64)), 'INVALID_API_KEY'],
  ])('given the headers %j, gets %s from every tool', async (headers, code) => {
    await using stranger = await connectTo(service, headers);
    for (const [tool, args] of [
      ['recommend', { travel_type: 'solo', city: 'Bangkok' }],
      ['inventory', { city: 'Bangkok' }],
      ['book', A_WISH],
    ] as const) {
      const { failed, content, texts } = await stranger.call(tool, args);
      expect({ failed, code: content?.['code'] }).toEqual({ failed: true, code });
      expect(texts[0]).toEndWith(toTheUser);
    }
  });

  test('given a key without the permission, learns that only the operator can change it', async () => {
    const { key } = await service.createKey({ permissions: ['inventory'] });
    await using reader = await connectTo(service, withKey(key));
    expect((await reader.call('inventory', { city: 'Bangkok' })).failed).toBe(false);
    const { failed, content, texts } = await reader.call('book', A_WISH);
    expect({ failed, code: content?.['code'] }).toEqual({ failed: true, code: 'ENDPOINT_NOT_ALLOWED' });
    expect(texts[0]).toEndWith(
      'What to do: do not repeat the call; show the user the error above: only the operator of the service can fix it.',
    );
  });

  test('given two keys, books for each of them, even with the same arguments', async () => {
    await using other = await connectTo(service, withKey((await service.createKey()).key));
    const wish = { ...A_WISH, activity_id: 'rope-garden' };
    const [ours, theirs] = [await tools.call('book', wish), await other.call('book', wish)];
    expect(theirs.content?.['idempotent_replayed']).toBe(false);
    expect(theirs.content?.['booking_id']).not.toBe(ours.content?.['booking_id']);
  });
});
