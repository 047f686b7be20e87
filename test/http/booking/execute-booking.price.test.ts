import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hold } from '../../support/holds.ts';
import { connectTo } from '../../support/mcp.ts';
import { changeCatalogue, modify, quote } from '../../support/modifications.ts';
import { A_WISH, NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { faulty, type Refusal, refused } from '../../support/service-answers.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

/** Sets price or deal of a date of the river walk. */
function setTerms(terms: object, date: string = TOMORROW, activity = 'river-walk') {
  return service.put(`/api/activities/${activity}/allotments/${date}`, terms, service.admin);
}

function changed(whom: string, total: number, currency: string, expected: number): Refusal {
  return refused(
    409,
    'PRICE_CHANGED',
    `The total for ${whom} is ${total} ${currency} now, not the expected_total ${expected}, so nothing was done; ` +
      `if the user agrees, send it again with expected_total ${total}.`,
    { details: `total: ${total}`, alternatives: [{ total, currency }] },
  );
}

async function storedSince<T>(act: () => Promise<T>): Promise<readonly [T, readonly string[]]> {
  const before = (await service.events()).length;
  const result = await act();
  return [result, (await service.events()).slice(before).map(({ type }) => type)];
}

describe('a booking with an expected total', () => {
  test('is made if it is the present total', async () => {
    const { data } = await service.book({ expected_total: 241 });
    expect([data.status, data.pricing.total]).toEqual(['confirmed', 241]);
  });

  test('is refused if the price was raised, stores nothing, and is made at the new total under the same key', async () => {
    await setTerms({ price: 130 });
    const key = { 'idempotency-key': 'evening' };
    const [{ refusal }, stored] = await storedSince(() => service.book({ expected_total: 241 }, key));
    expect(refusal).toEqual(changed('2 guests', 260, 'THB', 241));
    expect(stored).toEqual([]);
    const again = await service.book({ expected_total: 260 }, key);
    expect([again.data.pricing.total, again.headers.get('idempotent-replayed')]).toEqual([260, null]);
    // What was booked is the answer from now on, whatever the repetition expects.
    const replay = await service.book({ expected_total: 1 }, key);
    expect([replay.data, replay.headers.get('idempotent-replayed')]).toEqual([again.data, 'true']);
  });

  test('is refused too if the price fell', async () => {
    await setTerms({ price: 100 });
    expect((await service.book({ num_adults: 1, expected_total: 120.5 })).refusal).toEqual(
      changed('1 guest', 100, 'THB', 120.5),
    );
  });

  test('is made at a deal until the deal ends', async () => {
    const deal = { discount_percent: 50, expires_at: new Date(NOW + 60_000).toISOString() };
    await setTerms({ flash_deal: deal }, TODAY);
    const wish = { booking_date: TODAY, expected_total: 120.5 };
    service.clock.set(NOW + 59_999);
    expect((await service.book(wish)).data.pricing.total).toBe(120.5);
    service.clock.set(NOW + 60_000);
    const [{ refusal }, stored] = await storedSince(() => service.book(wish));
    expect(refusal).toEqual(changed('2 guests', 241, 'THB', 120.5));
    expect(stored).toEqual([]);
  });

  test('is refused if the catalogue has another price', async () => {
    changeCatalogue(service, 'bangkok', 'river-walk', { price: 121 });
    await service.restart();
    expect((await service.book({ expected_total: 241 })).refusal).toEqual(changed('2 guests', 242, 'THB', 241));
  });

  test('never pays another total, while an operator changes the price between twenty of them', async () => {
    const prices = [120.5, 99, 130, 120.5];
    const wishes = Array.from({ length: 20 }, (_, index) => ({ num_adults: 1, expected_total: prices[index % 3] }));
    await setTerms({ capacity: 30 });
    const [answers] = await Promise.all([
      Promise.all(wishes.map((wish) => service.book(wish))),
      Promise.all(prices.map((price) => setTerms({ price }))),
    ]);
    const outcomes = answers.map((answer, index) => {
      const expected = wishes[index]?.expected_total;
      return answer.status === 200
        ? answer.data.pricing.total === expected
        : answer.refusal.code === 'PRICE_CHANGED' && answer.refusal.alternatives?.[0] !== undefined;
    });
    expect(outcomes).toEqual(wishes.map(() => true));
  });

  test('is compared with the price of its hold', async () => {
    const held = (await hold(service)).data;
    await setTerms({ price: 130 });
    const wish = { hold_id: held.hold_id };
    const [{ refusal }, stored] = await storedSince(() => service.book({ ...wish, expected_total: 260 }));
    expect(refusal).toEqual(changed('2 guests', 241, 'THB', 260));
    expect(stored).toEqual([]);
    expect((await service.book({ ...wish, expected_total: held.pricing.total })).data.pricing.total).toBe(241);
  });

  test('that the venue confirms is compared when it is placed', async () => {
    const wish = { activity_id: 'village-kitchen', num_adults: 2 };
    expect((await service.book({ ...wish, expected_total: 900_001 })).refusal.code).toBe('PRICE_CHANGED');
    const { data } = await service.book({ ...wish, expected_total: 900_000 });
    expect([data.status, data.pricing.total]).toEqual(['pending', 900_000]);
  });

  test('is refused for missing slots first, then for its price', async () => {
    await setTerms({ capacity: 1, price: 130 });
    expect((await service.book({ expected_total: 241 })).refusal.code).toBe('INVENTORY_EXHAUSTED');
  });
});

describe('an expected total', () => {
  const decimals = (currency: string, digits: number, given: number) =>
    refused(
      400,
      'INVALID_REQUEST',
      `expected_total must be an amount of ${currency} with at most ${digits} decimals; it was ${given}.`,
    );

  test('is exact: dong have no decimals, baht two', async () => {
    const wish = { activity_id: 'clay-workshop', num_adults: 1 };
    expect((await service.book({ ...wish, expected_total: 450_000.5 })).refusal).toEqual(decimals('VND', 0, 450_000.5));
    expect((await service.book({ ...wish, expected_total: 449_999 })).refusal).toEqual(
      changed('1 guest', 450_000, 'VND', 449_999),
    );
    expect((await service.book({ ...wish, expected_total: 450_000 })).status).toBe(200);
    expect((await service.book({ expected_total: 241.001 })).refusal).toEqual(decimals('THB', 2, 241.001));
    expect((await service.book({ expected_total: 240.99 })).refusal).toEqual(changed('2 guests', 241, 'THB', 240.99));
  });

  test.each([-1, 'cheap', true, 1e13])('of %p is refused', async (given) => {
    const sentence = `expected_total must be a total in the activity's currency, as a number; it was ${JSON.stringify(given)}.`;
    expect((await service.book({ expected_total: given })).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });

  test('counts in a dry run', async () => {
    await setTerms({ price: 130 });
    const [{ refusal }, stored] = await storedSince(() => service.book({ dry_run: true, expected_total: 241 }));
    expect(refusal).toEqual(changed('2 guests', 260, 'THB', 241));
    expect(stored).toEqual([]);
    expect((await service.book({ dry_run: true, expected_total: 260 })).data.pricing.total).toBe(260);
  });
});

describe('a change with an expected total', () => {
  test('to another date is compared with the price of that date, also as a quote', async () => {
    const { data: booking } = await service.book({ activity_id: 'paper-museum', booking_date: '2026-11-25' });
    const move = { booking_date: '2026-12-22' };
    const [answers, stored] = await storedSince(() =>
      Promise.all([modify, quote].map((send) => send(service, booking, { ...move, expected_total: 500 }))),
    );
    const refusal = changed('2 guests', 600, 'THB', 500);
    expect(answers.map((answer) => answer.refusal)).toEqual([refusal, refusal]);
    expect(stored).toEqual([]);
    expect((await quote(service, booking, { ...move, expected_total: 600 })).data.new_pricing.total).toBe(600);
    expect((await modify(service, booking, { ...move, expected_total: 600 })).data.booking_date).toBe('2026-12-22');
  });

  test('of guests is compared with the sum of what the others keep and the added ones pay', async () => {
    const { data: booking } = await service.book();
    await setTerms({ price: 130 });
    const three = { num_adults: 3 };
    expect((await modify(service, booking, { ...three, expected_total: 390 })).refusal).toEqual(
      changed('3 guests', 371, 'THB', 390),
    );
    expect((await modify(service, booking, { ...three, expected_total: 371 })).data.new_pricing.total).toBe(371);
  });

  test('is made once: a repetition with another expectation gets the same answer', async () => {
    const { data: booking } = await service.book();
    const key = { 'idempotency-key': 'one more' };
    const first = await modify(service, booking, { num_adults: 3, expected_total: 361.5 }, key);
    const again = await modify(service, booking, { num_adults: 3, expected_total: 1 }, key);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
  });

  test('needs an exact amount', async () => {
    const { data: booking } = await service.book();
    const { refusal } = await modify(service, booking, { num_adults: 3, expected_total: 361.505 });
    expect([refusal.code, refusal.error]).toEqual([
      'INVALID_REQUEST',
      'expected_total must be an amount of THB with at most 2 decimals; it was 361.505.',
    ]);
  });
});

describe('the tool book with an expected total', () => {
  test('books nothing at another one, and the same arguments with the present one are one booking', async () => {
    await using tools = await connectTo(service, service.key);
    const [{ failed, content }, stored] = await storedSince(() =>
      tools.call('book', { ...A_WISH, expected_total: 240 }),
    );
    const { status, ...failure } = changed('2 guests', 241, 'THB', 240);
    expect({ failed, status, content, stored }).toEqual({ failed: true, status: 409, content: failure, stored: [] });
    const booked = await tools.call('book', { ...A_WISH, expected_total: 241 });
    const again = await tools.call('book', A_WISH);
    expect(again.content).toEqual({ ...booked.content, idempotent_replayed: true });
  });
});
