import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readStream } from '../../../src/application/ops/read-stream.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Page = AnswerOf<'get /api/ops/streams/:stream'>;

let service: Service;
let booking: string;
beforeAll(async () => {
  service = await openService();
  booking = (await service.book({ webhook_url: 'https://agent.example/hook?token=t0ken' })).data.booking_id;
});
afterAll(() => service.stop());

function read(stream: string, query = '', headers = service.admin) {
  return service.get<Page>(`/api/ops/streams/${stream}${query}`, headers);
}

/** The stream of a category whose data contains a text. */
async function streamHolding(category: string, text: string): Promise<string> {
  const found = (await service.events()).find(
    ({ stream, data }) => stream.startsWith(`${category}-`) && JSON.stringify(data).includes(text),
  );
  return found?.stream ?? '';
}

describe('the events of a stream', () => {
  test('are returned as stored, with their cause and time, without the code of the voucher and the URL of the receiver', async () => {
    const { items, next_cursor } = (await read(`booking-${booking}`)).data;
    const stored = (await service.events()).filter(({ stream }) => stream === `booking-${booking}`);
    expect(items.map(({ revision, type, by, at, data }) => ({ revision, type, by, at, data }))).toEqual(
      stored.map(({ revision, type, cause, data }) => ({
        revision,
        type,
        by: cause.by,
        at: cause.at,
        data: {
          ...data,
          ...(type.startsWith('VoucherIssued') && { code: '[hidden]' }),
          ...(type.startsWith('BookingConfirmed') && { webhookUrl: '[hidden]' }),
        },
      })),
    );
    expect(items.map(({ type }) => type.split('.')[0])).toContain('BookingConfirmed');
    expect(next_cursor).toBeNull();
  });

  test('are paginated', async () => {
    const whole = (await read(`booking-${booking}`)).data.items;
    const read1 = (await read(`booking-${booking}`, '?limit=2')).data;
    const read2 = (await read(`booking-${booking}`, `?limit=100&cursor=${read1.next_cursor}`)).data;
    expect([read1.items.length, read2.next_cursor]).toEqual([2, null]);
    expect([...read1.items, ...read2.items]).toEqual([...whole]);
  });

  test('of a stream are refused for a malformed cursor or the cursor of another stream', async () => {
    const { next_cursor } = (await read(`booking-${booking}`, '?limit=1')).data;
    for (const [stream, cursor] of [
      [await streamHolding('allotment', 'river-walk'), next_cursor],
      [`booking-${booking}`, 'x'],
      [`booking-${booking}`, Buffer.from(JSON.stringify(['-1', `booking-${booking}`])).toString('base64url')],
    ]) {
      expect((await read(stream ?? '', `?cursor=${cursor}`)).refusal.code).toBe('INVALID_REQUEST');
    }
  });

  test('contain no secret', async () => {
    const venue = (await service.events()).find(({ type }) => type.startsWith('DeviceRegistered'))?.stream ?? '';
    const key = (await service.events()).find(({ type }) => type.startsWith('KeyCreated'))?.stream ?? '';
    expect((await read('voucherkey-ring')).data.items[0]?.data['sealed']).toBe('[hidden]');
    expect((await read(venue)).data.items[0]?.data['hash']).toBe('[hidden]');
    const created = (await read(key)).data.items[0]?.data;
    expect([created?.['hash'], created?.['webhookSecret']]).toEqual(['[hidden]', '[hidden]']);
  });

  test('contain no data of guests: the booking returns it, unless it was erased', async () => {
    const guest = await streamHolding('guest', 'ada@example.com');
    const [recorded] = (await read(guest)).data.items;
    expect(recorded?.data).toMatchObject({ name: '[hidden]', email: '[hidden]', specialRequests: null, booking });
  });

  test('are not for analysts: a stream links a recommendation and its position to a key', async () => {
    await service.recommend({ location: { lat: 13.75012, lon: 100.49123 } });
    for (const stream of [`booking-${booking}`, await streamHolding('recommendation', '100.491')]) {
      expect((await read(stream, '', service.analyst)).refusal.code).toBe('FORBIDDEN');
      expect((await read(stream)).status).toBe(200);
    }
  });
});

test('a page reads only its part of the stream', async () => {
  const asked: (number | undefined)[] = [];
  const { store } = service.node.stores;
  const page = await readStream(`booking-${booking}`, { from: 1, limit: 1 }, 'admin', {
    store: {
      read(stream, from, maxCount) {
        asked.push(maxCount);
        return store.read(stream, from, maxCount);
      },
    },
  });
  expect(page).toMatchObject({ kind: 'page', events: [{ revision: 1 }], next: 2 });
  expect(asked).toEqual([2]);
});

describe('NOT_FOUND is', () => {
  test('a stream that never existed, and the error explains stream names', async () => {
    for (const name of ['booking-bk_0', 'nothing-1', 'nothing', '-', '%2e%2e', 'waymark']) {
      expect((await read(name)).refusal.code).toBe('NOT_FOUND');
    }
    expect((await read('bookings-1')).refusal.error).toContain('allotment, apikey, audit, booking');
  });

  test('a stream that was erased', async () => {
    const { booking_id } = (await service.book({ user_email: 'grace@example.com' })).data;
    const guest = await streamHolding('guest', 'grace@example.com');
    await service.post(`/api/bookings/${booking_id}/erase`, {}, service.admin);
    while ((await streamHolding('guest', 'grace@example.com')) !== '') {
      service.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    expect((await read(guest)).refusal.error).toContain('erased');
  });
});
