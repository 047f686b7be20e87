import { describe, expect, test } from 'bun:test';
import { A_WISH, openService, type Service, TODAY, withKey } from '../../support/service.ts';
import { type Answer, type Booking, refused } from '../../support/service-answers.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

const KEY = { 'idempotency-key': 'wish 7' };
const IN_PROGRESS = refused(
  409,
  'IDEMPOTENCY_IN_PROGRESS',
  'The first request with this Idempotency-Key is still in progress; send it again after one second.',
  { retryable: true, resolution: 'retry_later' },
);
const REUSED = refused(
  422,
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.',
);

function isReplay({ headers }: Answer<Booking>): boolean {
  return headers.get('idempotent-replayed') === 'true' && headers.get('x-position') === null;
}

async function bookingsMade(service: Service): Promise<number> {
  const types = (await service.events()).map(({ type }) => type);
  const count = (name: string): number => types.filter((type) => type === name).length;
  expect(count('SlotsClaimed.v3')).toBe(count('BookingConfirmed.v6'));
  expect(count('GuestRecorded.v1')).toBe(count('BookingConfirmed.v6'));
  return count('BookingConfirmed.v6');
}

/** Checks that each answer is the booking or IDEMPOTENCY_IN_PROGRESS; returns the booking. */
function oneOutcome(answers: readonly Answer<Booking>[]): Booking | undefined {
  const booked = answers.filter(({ status }) => status === 200).map(({ data }) => data);
  for (const { refusal, headers } of answers.filter(({ status }) => status !== 200)) {
    expect(refusal).toEqual(IN_PROGRESS);
    expect(headers.get('retry-after')).toBe('1');
  }
  for (const booking of booked) expect(booking).toEqual(booked[0] ?? booking);
  return booked[0];
}

describe('the same Idempotency-Key', () => {
  test('twenty times at once, and again after a restart, is one booking with one outcome', async () => {
    await using service = await openService();
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => service.book({}, KEY)));
    const answers = await twenty();
    const booking = oneOutcome(answers);
    expect(booking?.status).toBe('confirmed');
    expect(answers.filter((answer) => answer.status === 200 && !isReplay(answer))).toHaveLength(1);

    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      oneOutcome(await twenty());
      const again = await service.book({}, KEY);
      expect(again.data).toEqual(booking as Booking);
      expect(isReplay(again)).toBe(true);
    }
    expect(await bookingsMade(service)).toBe(1);
  });

  test('with the same fields in another spelling is the same request', async () => {
    await using service = await openService();
    const { data } = await service.book({}, KEY);
    const reordered = Object.fromEntries(Object.entries(A_WISH).toReversed());
    const spelled = {
      num_children: 0,
      special_requests: null,
      webhook_url: null,
      dry_run: false,
      context_log_id: null,
    };
    for (const change of [reordered, spelled, { num_adults: 2.0 }]) {
      const again = await service.book(change, KEY);
      expect([again.data, isReplay(again)]).toEqual([data, true]);
    }
  });

  test('answers in the booking’s language, not in that of the repetition', async () => {
    await using service = await openService();
    const { data } = await service.book({}, { ...KEY, 'accept-language': 'vi' });
    expect((await service.book({}, { ...KEY, 'accept-language': 'ja' })).data).toEqual(data);
  });

  test.each([
    { activity_id: 'paper-museum' },
    { user_email: 'ada@example.org' },
    { user_name: 'Ada Byron' },
    { booking_date: '2026-11-24' },
    { num_adults: 3 },
    { num_adults: 1, num_children: 1 },
    { special_requests: 'A window, please.' },
    { webhook_url: 'https://agent.example/hook' },
  ])('with another body is refused: %j', async (change) => {
    await using service = await openService();
    await service.book({}, KEY);
    expect((await service.book(change, KEY)).refusal).toEqual(REUSED);
    await service.restart();
    expect((await service.book(change, KEY)).refusal).toEqual(REUSED);
    expect(await bookingsMade(service)).toBe(1);
  });

  test('with another body while the first is in progress is refused', async () => {
    await using service = await openService();
    const [first, second] = await Promise.all([service.book({}, KEY), service.book({ num_adults: 3 }, KEY)]);
    expect(first.status).toBe(200);
    expect(second.refusal).toEqual(REUSED);
    expect(await bookingsMade(service)).toBe(1);
  });

  test('replays its booking even while another body is being refused', async () => {
    await using service = await openService();
    const { data } = await service.book({}, KEY);
    const [other, own] = await Promise.all([service.book({ num_adults: 3 }, KEY), service.book({}, KEY)]);
    expect(other.refusal).toEqual(REUSED);
    expect([own.data, isReplay(own)]).toEqual([data, true]);
  });

  test('of another API key is another booking', async () => {
    await using service = await openService();
    const other = withKey((await service.createKey()).key);
    const both = [await service.book({}, KEY), await service.book({}, { ...KEY, ...other })];
    expect(both.map(isReplay)).toEqual([false, false]);
    expect(await bookingsMade(service)).toBe(2);
    const again = [await service.book({}, KEY), await service.book({}, { ...KEY, ...other })];
    expect(again.map(({ data }) => data.booking_id)).toEqual(both.map(({ data }) => data.booking_id));
    expect(again.map(isReplay)).toEqual([true, true]);
  });

  test('is compared exactly', async () => {
    await using service = await openService();
    const keys = ['wish', 'Wish', 'wish.', '["wish"]', 'x'.repeat(254), 'x'.repeat(255)];
    for (const key of keys) await service.book({ num_adults: 1 }, { 'idempotency-key': key });
    expect(await bookingsMade(service)).toBe(keys.length);
  });
});

describe('the committed booking is returned again', () => {
  test('after the date has passed', async () => {
    await using service = await openService();
    const { data } = await service.book({ booking_date: TODAY }, KEY);
    service.clock.set(Date.parse('2027-11-21T03:00:00Z'));
    expect((await service.book({ booking_date: TODAY })).refusal.code).toBe('INVALID_DATE');
    const again = await service.book({ booking_date: TODAY }, KEY);
    expect([again.data, isReplay(again)]).toEqual([data, true]);
  });

  test('after the date is sold out', async () => {
    await using service = await openService();
    const { data } = await service.book({}, KEY);
    await service.book({ num_adults: 8 });
    expect((await service.book()).refusal.code).toBe('INVENTORY_EXHAUSTED');
    expect((await service.book({}, KEY)).data).toEqual(data);
  });

  test('after the activity was removed from the catalogue', async () => {
    await using service = await openService();
    const { data } = await service.book({}, KEY);
    writeServiceCatalogue(service.catalogueDirectory, ['river-walk']);
    await service.restart();
    expect((await service.book({}, KEY)).data).toEqual(data);
  });

  test('with the present status, after the visit', async () => {
    await using service = await openService();
    const { data } = await service.book({ booking_date: TODAY }, KEY);
    expect((await service.verify({ code: data.voucher.code })).status).toBe(200);
    const again = await service.book({ booking_date: TODAY }, KEY);
    expect(again.data).toEqual({ ...data, status: 'completed', visit: expect.anything() });
    expect(isReplay(again)).toBe(true);
  });
});

describe('a request that was refused before it started a booking is decided again', () => {
  test('when the date has come into the bookable range', async () => {
    await using service = await openService();
    const wish = { booking_date: '2027-11-22' };
    expect((await service.book(wish, KEY)).refusal.code).toBe('INVALID_DATE');
    service.clock.advance(86_400_000);
    const answer = await service.book(wish, KEY);
    expect([answer.data.booking_date, isReplay(answer)]).toEqual(['2027-11-22', false]);
  });

  test('so the key can be used for another body after a validation error, a sold-out date or a closed day', async () => {
    await using service = await openService();
    await service.book({ num_adults: 10 });
    for (const change of [{ num_adults: 0 }, {}, { activity_id: 'paper-museum', booking_date: '2026-11-23' }]) {
      expect((await service.book(change, KEY)).status).not.toBe(200);
    }
    const answer = await service.book({ booking_date: '2026-11-25' }, KEY);
    expect([answer.data.booking_date, isReplay(answer)]).toEqual(['2026-11-25', false]);
    expect((await service.book({}, KEY)).refusal).toEqual(REUSED);
  });
});
