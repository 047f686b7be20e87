import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readStream } from '../../../src/application/ops/read-stream.ts';
import { positionAt, SOME_CAUSE } from '../../support/recorded.ts';
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
  test('are returned as stored, with their cause and time', async () => {
    const { items, next_cursor } = (await read(`booking-${booking}`)).data;
    const stored = (await service.events()).filter(({ stream }) => stream === `booking-${booking}`);
    expect(items.map(({ revision, type, by, at, data }) => ({ revision, type, by, at, data }))).toEqual(
      stored.map(({ revision, type, cause, data }) => ({
        revision,
        type,
        by: cause.by,
        at: cause.at,
        data: { ...data },
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

  test('contain no secret for any caller', async () => {
    const venue = (await service.events()).find(({ type }) => type.startsWith('DeviceRegistered'))?.stream ?? '';
    const key = (await service.events()).find(({ type }) => type.startsWith('KeyCreated'))?.stream ?? '';
    for (const headers of [service.admin, service.analyst]) {
      expect((await read('voucherkey-ring', '', headers)).data.items[0]?.data['sealed']).toBe('[hidden]');
      expect((await read(venue, '', headers)).data.items[0]?.data['hash']).toBe('[hidden]');
      const created = (await read(key, '', headers)).data.items[0]?.data;
      expect([created?.['hash'], created?.['webhookSecret']]).toEqual(['[hidden]', '[hidden]']);
    }
  });

  test('contain no data of guests: the booking returns it, unless it was erased', async () => {
    const guest = await streamHolding('guest', 'ada@example.com');
    const [recorded] = (await read(guest)).data.items;
    expect(recorded?.data).toMatchObject({ name: '[hidden]', email: '[hidden]', specialRequests: null, booking });
  });

  test('hide voucher codes and webhook URLs from analysts', async () => {
    const shown = async (headers = service.admin) =>
      JSON.stringify((await read(`booking-${booking}`, '', headers)).data);
    const code = (await service.booking(booking)).data.voucher?.code ?? 'none';
    expect([(await shown()).includes(code), (await shown()).includes('t0ken')]).toEqual([true, true]);
    const masked = await shown(service.analyst);
    expect([masked.includes(code), masked.includes('t0ken')]).toEqual([false, false]);
  });
});

test('a page reads only its part of the stream', async () => {
  const asked: (number | undefined)[] = [];
  const { store } = service.node.stores;
  const page = await readStream(
    `booking-${booking}`,
    { from: 1, limit: 1, asker: 'admin' },
    {
      store: {
        read(stream, from, maxCount) {
          asked.push(maxCount);
          return store.read(stream, from, maxCount);
        },
      },
    },
  );
  expect(page).toMatchObject({ kind: 'page', events: [{ revision: 1 }], next: 2 });
  expect(asked).toEqual([2]);
});

test('the URL of a delivery is hidden from analysts', async () => {
  const ofAgent = () => streamHolding('delivery', '"origin":"https://agent.example"');
  while ((await ofAgent()) === '') {
    service.clock.advance(1_000);
    await new Promise(setImmediate);
  }
  const delivery = await ofAgent();
  const origin = async (headers = service.admin) => (await read(delivery, '', headers)).data.items[0]?.data['endpoint'];
  expect(await origin()).toEqual({ kind: 'booking', origin: 'https://agent.example' });
  expect(await origin(service.analyst)).toEqual({ kind: 'booking', origin: '[hidden]' });
});

test('the address of a receiver is hidden from analysts', async () => {
  const data = { keyId: 'key_1', kind: 'booking', origin: 'https://agent.example', since: '2026-11-21T03:00:00.000Z' };
  const event = {
    stream: 'endpoint-ep_1',
    revision: 0,
    position: positionAt(1),
    id: 'id_1',
    type: 'EndpointFailing.v1',
    data,
    cause: SOME_CAUSE,
  };
  const store = { read: async () => ({ kind: 'events', events: [event], upTo: 0 }) as const };
  const readBy = (asker: 'admin' | 'analyst') => readStream('endpoint-ep_1', { from: 0, limit: 1, asker }, { store });
  expect(await readBy('admin')).toEqual({ kind: 'page', events: [event], next: null });
  const masked = { ...event, data: { ...data, origin: '[hidden]' } };
  expect(await readBy('analyst')).toEqual({ kind: 'page', events: [masked], next: null });
});

describe('NOT_FOUND is', () => {
  test('a stream that never existed, and the error explains stream names', async () => {
    for (const name of ['booking-bk_0', 'nothing-1', 'nothing', '-', '%2e%2e', 'waymark']) {
      expect((await read(name)).refusal.code).toBe('NOT_FOUND');
    }
    expect((await read('bookings-1')).refusal.error).toContain('allotment, apikey, booking');
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
