import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connectTo } from '../support/mcp.ts';
import { A_WISH, openService, type Service, TOMORROW, withKey } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** The member of an answer's data; undefined without it. */
function interpretedIn({ data }: { readonly data: object }): unknown {
  return 'interpreted' in data ? data.interpreted : undefined;
}

describe('digits in a string', () => {
  test('are a number in a body, and the answer says so', async () => {
    const answer = await service.book({ num_adults: '2', num_children: '1', dry_run: true });
    expect(answer.data.pricing.total_guests).toBe(3);
    expect(interpretedIn(answer)).toEqual({
      num_adults: { given: '2', taken: 2 },
      num_children: { given: '1', taken: 1 },
    });
  });

  test('can have decimals where the field has them', async () => {
    const answer = await service.recommend({ filters: { max_price: '120.50' } });
    expect(answer.data.recommendations.map(({ id }) => id)).toEqual(['river-walk']);
    expect(interpretedIn(answer)).toEqual({ 'filters.max_price': { given: '120.50', taken: 120.5 } });
  });

  test('out of range are refused with the code of the number', async () => {
    const { refusal } = await service.book({ num_adults: '21' });
    expect([refusal.code, refusal.error]).toEqual([
      'BOOKING_LIMIT_EXCEEDED',
      'num_adults must be a whole number from 1 to 20; it was 21.',
    ]);
  });

  test('in a query are not shown as interpreted', async () => {
    const answer = await service.inventory('city=Bangkok&min_slots=11&limit=1');
    expect(interpretedIn(answer)).toBeUndefined();
  });

  test('make the same booking as the number, under one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'digits' };
    const first = await service.book({ num_adults: '2' }, headers);
    const again = await service.book({ num_adults: 2 }, headers);
    expect([again.status, again.data.booking_id]).toEqual([200, first.data.booking_id]);
    expect([interpretedIn(first), interpretedIn(again)]).toEqual([{ num_adults: { given: '2', taken: 2 } }, undefined]);
  });
});

describe('a name of a list', () => {
  test.each([
    ['Couple', 'couple'],
    ['COUPLE', 'couple'],
  ])('is understood as "%s" in a body', async (given, taken) => {
    const answer = await service.recommend({ user_profile: { travel_type: given, interests: ['cultural'] } });
    expect(interpretedIn(answer)).toEqual({ 'user_profile.travel_type': { given, taken } });
  });

  test('is understood in a list, which is shown whole', async () => {
    const interests = ['Cultural', 'THEME PARK', 'spa'];
    const answer = await service.recommend({ user_profile: { travel_type: 'solo', interests } });
    expect(interpretedIn(answer)).toEqual({
      'user_profile.interests': { given: interests, taken: ['cultural', 'theme-park', 'spa'] },
    });
  });

  test('is understood in a query', async () => {
    const answer = await service.inventory('city=Bangkok&category=CULTURAL');
    expect(answer.data.inventory.map(({ category }) => category)).toEqual(['cultural', 'cultural']);
    expect(interpretedIn(answer)).toEqual({ category: { given: 'CULTURAL', taken: 'cultural' } });
  });

  test('is understood for true and false in a query: Python writes True', async () => {
    const answer = await service.inventory('city=Bangkok&flash_deals_only=False');
    expect(interpretedIn(answer)).toEqual({ flash_deals_only: { given: 'False', taken: false } });
  });

  test('is understood in the list of columns of a report', async () => {
    const answer = await service.get('/api/analytics/visits?group_by=Day,%20VENUE_ID&from=2026-11-01', service.analyst);
    expect(interpretedIn(answer)).toEqual({ group_by: { given: 'Day, VENUE_ID', taken: 'day,venue_id' } });
  });

  test('is understood with hyphens or spaces for `_`, by the operator too', async () => {
    const permissions = ['Execute-Booking', 'execute booking', 'INVENTORY'];
    const answer = await service.post('/api/keys', { name: 'An agent', plan: 'Basic', permissions }, service.admin);
    expect(answer.data).toMatchObject({ plan: 'basic', permissions: ['execute_booking', 'inventory'] });
    expect(Object.keys(interpretedIn(answer) as object)).toEqual(['plan', 'permissions']);
  });

  test('is not understood from a similar text', async () => {
    for (const travel_type of ['couples', ' couple', 'cou ple', '']) {
      const { refusal } = await service.recommend({ user_profile: { travel_type } });
      expect([travel_type, refusal.code]).toEqual([travel_type, 'INVALID_PROFILE']);
    }
  });
});

describe('a request in the documented spelling', () => {
  test('has no `interpreted` in its answer', async () => {
    for (const answer of [await service.recommend(), await service.inventory('city=Bangkok'), await service.book()])
      expect(interpretedIn(answer)).toBeUndefined();
  });
});

describe('a dry run', () => {
  test.each([
    ['true', 'true or false, without quotes; it was "true".'],
    ['False', 'true or false, without quotes; it was "False".'],
    ['yes', 'true or false; it was "yes".'],
    [1, 'true or false; it was 1.'],
  ])('that is asked for with %j is refused, and books nothing', async (dry_run, rule) => {
    const before = await service.events();
    const { refusal } = await service.book({ dry_run });
    expect([refusal.status, refusal.code, refusal.error]).toEqual([400, 'INVALID_REQUEST', `dry_run must be ${rule}`]);
    expect(await service.events()).toEqual(before);
  });
});

describe('the tools', () => {
  test('name what they understood by their own arguments', async () => {
    await using tools = await connectTo(service, service.key);
    const { content, texts } = await tools.call('recommend', {
      travel_type: 'Couple',
      city: 'Bangkok',
      lat: '13.75',
      lon: 100.5,
    });
    expect(content?.['interpreted']).toEqual({
      travel_type: { given: 'Couple', taken: 'couple' },
      lat: { given: '13.75', taken: 13.75 },
    });
    expect(texts[0]).toEndWith(' Understood: travel_type "Couple" as "couple", lat "13.75" as 13.75.');
  });

  test('quote a booking that is a dry run, and book nothing', async () => {
    await using tools = await connectTo(service, service.key);
    const before = await service.events();
    const { failed, content, texts } = await tools.call('book', { ...A_WISH, num_adults: '2', dry_run: true });
    expect({ failed, content }).toMatchObject({
      failed: false,
      content: { dry_run: true, available: true, pricing: { total: 241, currency: 'THB', total_guests: 2 } },
    });
    expect(content).not.toHaveProperty('booking_id');
    expect(texts[0]).toBe(
      'A quote: nothing was booked or charged. 241 THB for 2 guests. To book it at this price, call book again without ' +
        'dry_run and with expected_total 241. Understood: num_adults "2" as 2.',
    );
    expect(await service.events()).toEqual(before);
  });

  test.each([{ dry_run: 'true' }, { dryRun: true }, { test: true }])(
    'never book what may be a dry run: %j',
    async (change) => {
      await using tools = await connectTo(service, service.key);
      const before = await service.events();
      expect((await tools.call('book', { ...A_WISH, ...change })).texts[0]).toStartWith('INVALID_REQUEST: ');
      expect(await service.events()).toEqual(before);
    },
  );

  test('book once whether a number is written as digits or as a number', async () => {
    const key = withKey((await service.createKey()).key);
    await using tools = await connectTo(service, key);
    const wish = { ...A_WISH, activity_id: 'paper-museum', booking_date: TOMORROW };
    const first = await tools.call('book', { ...wish, num_adults: '1' });
    const again = await tools.call('book', { ...wish, num_adults: 1 });
    expect([again.failed, again.content?.['booking_id']]).toEqual([false, first.content?.['booking_id']]);
  });
});
