import { describe, expect, test } from 'bun:test';
import { bookingCodec } from '../../../src/domain/booking/events.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Parked = AnswerOf<'get /api/ops/readers/parked'>;

const CAUSE = { correlationId: 'other', causationId: null, by: 'other', at: '2026-11-21T02:00:00.000Z' };
const CONFIRMED = `BookingConfirmed.v${bookingCodec.versions['BookingConfirmed']}`;
/** The readers that fold BookingConfirmed and cannot fold it without its facts. */
const REAPER = 'claim-reaper';

/** Another program appends an event like Waymark's, with other data. */
async function poison(service: Service, data: object = {}, id = crypto.randomUUID(), stream = 'booking-0') {
  const { store } = service.node.stores;
  const last = await store.last(stream);
  await store.append(stream, last?.revision ?? -1, [{ id, type: CONFIRMED, data, cause: CAUSE }]);
  return id;
}

async function list(service: Service): Promise<Parked['items']> {
  return (await service.get<Parked>('/api/ops/readers/parked', service.analyst)).data.items;
}

/** The parked items, once the reaper has reached the end of the log. */
async function parked(service: Service, count = 1): Promise<Parked['items']> {
  for (;;) {
    const items = await list(service);
    if (items.filter(({ reader }) => reader === REAPER).length >= count) return items;
    await new Promise(setImmediate);
  }
}

const decide = (service: Service, action: 'retry' | 'skip', reader: string, item: string) =>
  service.post<AnswerOf<'post /api/ops/readers/:reader/retry'>>(
    `/api/ops/readers/${reader}/${action}`,
    { item, reason: 'another program wrote it', operator: 'mai' },
    service.admin,
  );

describe('an event that readers cannot apply', () => {
  test('is parked, and the service goes on, also after a restart', async () => {
    await using service = await openService();
    const id = await poison(service);
    const booked = await service.book();
    const before = await parked(service);
    const item = before.find(({ reader }) => reader === REAPER);
    expect(item).toEqual({
      reader: REAPER,
      item: id,
      kind: 'event',
      status: 'parked',
      event: { stream: 'booking-0', revision: 0, type: CONFIRMED, position: expect.any(String) as never },
      fault: expect.stringContaining('TypeError') as never,
      parked_at: '2026-11-21T03:00:00.000Z',
      decision: null,
    });
    const listed = await service.documents('bookings');
    expect(listed.map(({ id: booking }) => booking)).toContain(booked.data.booking_id);

    await service.restart();
    const again = await service.book();
    expect((await service.documents('bookings')).map(({ id: booking }) => booking)).toContain(again.data.booking_id);
    expect(await list(service)).toEqual(before);
    const ready = (await service.get<AnswerOf<'get /readyz'>>('/readyz')).data;
    expect(ready.status).toBe('ready');
    expect(ready.parked).toContainEqual(item as never);
    expect(ready.parked_total).toBe(before.length);
  });

  test('is left out by a rebuild too: both builds are equal', async () => {
    await using service = await openService();
    await poison(service);
    await service.book();
    await parked(service);
    for (const projection of ['bookings', 'conversions', 'statements', 'visits'])
      expect(await service.rebuild(projection)).toMatchObject({ kind: 'rebuilt', differences: 0 });
  });

  test('is skipped by an operator, whose name and reason the log keeps; then no reader shows it', async () => {
    await using service = await openService();
    const id = await poison(service);
    for (const { reader } of await parked(service))
      expect((await decide(service, 'skip', reader, id)).status).toBe(200);
    const skipped = (await service.events()).filter(({ type }) => type === 'ParkedSkipped.v1');
    expect(skipped.find(({ stream }) => stream === `reader-${REAPER}`)).toMatchObject({
      data: { item: id, by: 'mai', reason: 'another program wrote it', at: '2026-11-21T03:00:00.000Z' },
      cause: { by: 'admin' },
    });
    expect(new Set((await list(service)).map(({ status }) => status))).toEqual(new Set(['skipped']));
    while ((await service.get<AnswerOf<'get /readyz'>>('/readyz')).data.parked !== undefined)
      await new Promise(setImmediate);
    await service.restart();
    await service.book();
    expect((await list(service)).every(({ status }) => status === 'skipped')).toBe(true);
  });

  test('is refused as unknown if nobody parked it', async () => {
    await using service = await openService();
    expect((await decide(service, 'skip', REAPER, 'nothing')).refusal).toMatchObject({ status: 404 });
    expect((await decide(service, 'retry', 'nobody', 'nothing')).refusal).toMatchObject({ status: 404 });
    expect((await service.post(`/api/ops/readers/${REAPER}/skip`, {}, service.analyst)).refusal?.status).toBe(403);
  });

  test('that is parked for the 101st time stops its reader, until an operator has decided on one', async () => {
    await using service = await openService();
    const ids: string[] = [];
    for (let count = 0; count < 100; count++) ids.push(await poison(service, {}, undefined, `booking-${count}`));
    await parked(service, 100);
    expect((await service.get('/readyz')).status).toBe(200);
    await poison(service, {}, undefined, 'booking-100');
    while ((await service.get('/readyz')).status === 200) await new Promise(setImmediate);
    const { refusal } = await service.get('/readyz');
    expect(refusal?.error).toContain(REAPER);
    expect(refusal?.details).toContain('100 parked items wait for an operator');
    const full = [...new Set((await list(service)).map(({ reader }) => reader))];
    for (const reader of full) await decide(service, 'skip', reader, ids[0] ?? '');
    while ((await service.get('/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
