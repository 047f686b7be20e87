import { describe, expect, test } from 'bun:test';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { command, factsOf, placeOnRequest, wishedNow } from '../../support/booking-commands.ts';
import { claimId, date } from '../../support/examples.ts';
import { openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { type AnswerOf, type Booking, faulty } from '../../support/service-answers.ts';

type Bookings = AnswerOf<'get /api/b2a/bookings'>;

function list(service: Service, query = '', headers: Record<string, string> = {}) {
  return service.get<Bookings>(`/api/b2a/bookings${query}`, { ...service.key, ...headers });
}

/** Every page of a list, from the first to the last. */
async function pages(service: Service, query: string): Promise<readonly Bookings['items'][]> {
  const found: Bookings['items'][] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, next_cursor } = (await list(service, `?${query}${after}`)).data;
    found.push(items);
    cursor = next_cursor;
  } while (cursor !== null);
  return found;
}

/** Makes bookings of these dates, a second apart; returns the answers, newest first. */
async function booked(service: Service, dates: readonly string[]): Promise<readonly Booking[]> {
  const made: Booking[] = [];
  for (const booking_date of dates) {
    service.clock.advance(1_000);
    made.unshift((await service.book({ booking_date, num_adults: 1, special_requests: `Number ${made.length}` })).data);
  }
  await service.documents('bookings');
  return made;
}

async function cancel(service: Service, id: string): Promise<void> {
  const cancelling = { type: 'Cancel', reason: 'user_requested', ...wishedNow(service, `cancel ${id}`) } as const;
  await command(service, id, cancelling, 'test');
}

/** Moves a booking of one adult to another date. */
async function move(service: Service, id: string, to: string): Promise<void> {
  const { hours, pricing, cancellation, activityId } = await factsOf(service, id);
  if (hours === null) throw new Error('the hours are known');
  const claim = { allotment: allotmentIdOf(activityId, date(to)), id: claimId(`${id}.2`), size: 1 };
  const modification = {
    move: { date: date(to), hours, lastEntryMs: hours.closesAtMs, cancellation },
    numAdults: 1,
    numChildren: 0,
    guest: null,
  };
  const taken = { claim, pricing };
  const modify = { type: 'Modify', plannedOn: 1, modification, taken, ...wishedNow(service, `move ${id}`) } as const;
  await command(service, id, modify, 'test');
}

describe('the list of bookings', () => {
  test('has all bookings of the key, newest first', async () => {
    await using service = await openService();
    const made = await booked(service, [TOMORROW, TODAY, '2026-12-01']);
    await service.book({}, withKey((await service.createKey()).key));
    await service.documents('bookings');
    expect((await list(service)).data).toEqual({ items: made, next_cursor: null });
  });

  test('is empty for a key that has booked nothing', async () => {
    await using service = await openService();
    await booked(service, [TOMORROW]);
    const other = withKey((await service.createKey()).key);
    expect((await list(service, '', other)).data).toEqual({ items: [], next_cursor: null });
  });

  test('is paginated without repetitions', async () => {
    await using service = await openService();
    const other = withKey((await service.createKey()).key);
    const made: Booking[] = [];
    for (let count = 0; count < 5; count++) {
      made.unshift(...(await booked(service, [TODAY])));
      await service.book({ num_adults: 1 }, other);
    }
    await service.documents('bookings');
    const found = await pages(service, 'limit=2');
    expect(found.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(found.flat()).toEqual(made);
  });

  test('is paginated without repetitions, even if all were made at the same time', async () => {
    await using service = await openService();
    await Promise.all(Array.from({ length: 7 }, () => service.book({ num_adults: 1 })));
    await service.documents('bookings');
    const ids = (await pages(service, 'limit=3')).flat().map((booking) => booking.booking_id);
    expect([ids.length, new Set(ids).size]).toEqual([7, 7]);
  });

  test('has no next page after its last booking, in a range of dates too', async () => {
    await using service = await openService();
    await booked(service, [TODAY, TODAY]);
    for (const query of ['limit=2', `limit=2&from=${TODAY}`]) {
      expect((await pages(service, query)).map((page) => page.length)).toEqual([2]);
    }
  });

  test('continues from the cursor after new bookings', async () => {
    await using service = await openService();
    const made = await booked(service, [TODAY, TODAY, TODAY]);
    const first = (await list(service, '?limit=2')).data;
    await booked(service, [TODAY]);
    const rest = (await list(service, `?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`)).data;
    expect([...first.items, ...rest.items]).toEqual([...made]);
    expect(rest.next_cursor).toBeNull();
  });

  test('shows a booking, and its visit, at once if the query sends the position', async () => {
    await using service = await openService();
    for (let count = 1; count <= 5; count++) {
      const answer = await service.book({ booking_date: TODAY, num_adults: 1 });
      const seen = { 'x-position': answer.headers.get('x-position') ?? '' };
      expect((await list(service, '', seen)).data.items).toHaveLength(count);
      const visit = await service.verify({ code: answer.data.voucher.code });
      const after = { 'x-position': visit.headers.get('x-position') ?? '' };
      expect((await list(service, '?status=completed', after)).data.items).toHaveLength(count);
    }
  });

  test('is the same after a restart', async () => {
    await using service = await openService();
    const made = await booked(service, [TOMORROW, TODAY]);
    await service.restart();
    expect((await list(service)).data.items).toEqual([...made]);
  });
});

describe('a filter of the list', () => {
  test.each([
    ['status=confirmed', ['2026-12-03', '2026-12-01', TOMORROW]],
    ['status=completed', [TODAY]],
    ['from=2026-11-22', ['2026-12-03', '2026-12-01', TOMORROW]],
    ['to=2026-12-01', ['2026-12-01', TOMORROW, TODAY]],
    ['from=2026-11-22&to=2026-12-01', ['2026-12-01', TOMORROW]],
    ['from=2026-12-01&to=2026-12-01', ['2026-12-01']],
    ['from=2026-12-04', []],
    ['from=2026-12-02&to=2026-12-02', []],
    ['status=completed&from=2026-11-22', []],
  ])('%s', async (query, dates) => {
    await using service = await openService();
    const made = await booked(service, [TODAY, TOMORROW, '2026-12-01', '2026-12-03']);
    await service.verify({ code: made.at(-1)?.voucher.code ?? '' });
    await service.documents('bookings');
    for (const limit of [1, 100]) {
      const found = (await pages(service, `${query}&limit=${limit}`)).flat();
      expect(found.map((booking) => booking.booking_date)).toEqual(dates);
    }
  });
});

describe('a list of bookings that change', () => {
  test('filters by the present status', async () => {
    await using service = await openService();
    const [confirmed, cancelled, completed] = await booked(service, [TODAY, TODAY, TODAY]);
    const ids = [confirmed, cancelled, completed].map((each) => each?.booking_id ?? '');
    await cancel(service, ids[1] ?? '');
    await service.verify({ code: completed?.voucher.code ?? '' });
    const pending = await placeOnRequest(service, service.clock.nowMs() + 3_600_000);
    const { keyId, ...like } = await factsOf(service, pending);
    const [processing, rejected] = ['bk_zyxwvtsrqpnmkjhgfedc', 'bk_zyxwvtsrqpnmkjhgfedd'];
    for (const id of [processing, rejected]) {
      const late = { finishByMs: service.clock.nowMs() + 60_000, answerByMs: null };
      await command(service, id, { type: 'Start', facts: { ...like, keyId, claims: [] }, ...late }, keyId);
    }
    const reject = { type: 'Reject', reason: 'system', code: 'SERVICE_UNAVAILABLE', by: 'system' } as const;
    await command(service, rejected, { ...reject, at: new Date(service.clock.nowMs()).toISOString() }, 'test');
    await service.documents('bookings');
    const listed = async (status: string) =>
      (await list(service, `?status=${status}`)).data.items.map((booking) => [booking.booking_id, booking.status]);
    expect(await listed('processing')).toEqual([[processing, 'processing']]);
    expect(await listed('pending')).toEqual([[pending, 'pending']]);
    expect(await listed('rejected')).toEqual([[rejected, 'rejected']]);
    expect(await listed('cancelled')).toEqual([[ids[1] ?? '', 'cancelled']]);
    expect(await listed('completed')).toEqual([[ids[2] ?? '', 'completed']]);
    // Beside the one that the pending booking was made like.
    expect(await listed('confirmed')).toContainEqual([ids[0] ?? '', 'confirmed']);
  });

  test('filters by the new date after a move', async () => {
    await using service = await openService();
    const [moved, stays] = await booked(service, [TOMORROW, TOMORROW]);
    await move(service, moved?.booking_id ?? '', '2026-12-01');
    await service.documents('bookings');
    const dated = async (query: string) =>
      (await list(service, query)).data.items.map((booking) => [booking.booking_id, booking.booking_date]);
    expect(await dated('?from=2026-12-01&to=2026-12-01')).toEqual([[moved?.booking_id ?? '', '2026-12-01']]);
    expect(await dated(`?to=${TOMORROW}`)).toEqual([[stays?.booking_id ?? '', TOMORROW]]);
  });

  test('continues from the cursor, however the bookings around it change', async () => {
    await using service = await openService();
    const made = (await booked(service, [TOMORROW, TOMORROW, TOMORROW, TOMORROW])).map(({ booking_id }) => booking_id);
    const first = (await list(service, '?limit=2')).data;
    await cancel(service, made[0] ?? '');
    await move(service, made[1] ?? '', '2026-12-01');
    await cancel(service, made[2] ?? '');
    await service.documents('bookings');
    const rest = (await list(service, `?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`)).data;
    expect([...first.items, ...rest.items].map(({ booking_id }) => booking_id)).toEqual(made);
    expect(rest.items.map(({ status }) => status)).toEqual(['cancelled', 'confirmed']);
    expect(rest.next_cursor).toBeNull();
  });
});

describe('the list is refused', () => {
  test.each([
    [
      'status=open',
      'INVALID_REQUEST',
      'status must be one of processing, pending, confirmed, rejected, cancelled, completed; it was "open".',
    ],
    [
      'from=soon',
      'INVALID_DATE',
      'from must be a real calendar date as YYYY-MM-DD; it was "soon"; today in UTC is 2026-11-21, tomorrow 2026-11-22.',
    ],
    [
      'to=2026-02-30',
      'INVALID_DATE',
      'to must be a real calendar date as YYYY-MM-DD; it was "2026-02-30"; today in UTC is 2026-11-21, tomorrow 2026-11-22.',
    ],
    ['limit=0', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100; it was 0.'],
    ['limit=101', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100; it was 101.'],
  ] as const)('%s', async (query, code, sentence) => {
    await using service = await openService();
    expect((await list(service, `?${query}`)).refusal).toEqual(faulty(code, sentence));
  });

  test('cursor of another list', async () => {
    await using service = await openService();
    const sentence = 'cursor must be the next_cursor of an earlier answer; it was "MTIz".';
    expect((await list(service, '?cursor=MTIz')).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });
});
