import { describe, expect, test } from 'bun:test';
import { faultOf } from '../support/fault.ts';
import { SOME_CAUSE } from '../support/recorded.ts';
import { openService, type Service } from '../support/service.ts';

const NEWER = { id: crypto.randomUUID(), type: 'BookingPraised.v1', data: {}, cause: SOME_CAUSE };

async function append(service: Service, stream: string, revision: number): Promise<void> {
  const { store } = service.node.stores;
  expect((await store.append(stream, revision, [NEWER])).kind).toBe('appended');
}

/** Appends what a newer release could have written, and waits until this one has met it. */
async function praise(service: Service, booking: string): Promise<void> {
  const before = (await service.events()).filter(({ stream }) => stream === `booking-${booking}`);
  await append(service, `booking-${booking}`, before.length - 1);
  while ((await service.get('/readyz')).status === 200) await new Promise(setImmediate);
}

describe('a service that meets an event of a newer release', () => {
  test('is not ready, names the event, and continues with those it can read', async () => {
    await using service = await openService();
    const { data: first } = await service.book();
    const { data: second } = await service.book({ user_email: 'grace@example.com' });
    await service.documents('bookings');
    await praise(service, first.booking_id);
    const { refusal } = await service.get('/readyz');
    expect(refusal).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      error: 'Not ready: reads BookingPraised.v1.',
    });
    expect((await service.get('/livez')).status).toBe(200);
    expect(await service.booking(second.booking_id)).toMatchObject({ status: 200 });
    const facts = service.logged.filter(({ happening }) => happening.startsWith('event of a newer release'));
    expect(facts.map((line) => line.facts?.['type'])).toEqual(['BookingPraised.v1']);
  });

  test('decides nothing on such a stream: a node that can read it has to', async () => {
    await using service = await openService();
    const { data } = await service.book();
    // Of a stream that it has in memory a node would answer what it knows.
    const id = data.booking_id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await praise(service, id);
    expect(await service.booking(id)).toMatchObject({
      status: 503,
      refusal: { code: 'SERVICE_UNAVAILABLE', retryable: true },
    });
  });

  test('does not start if the events of its start contain one', async () => {
    const service = await openService();
    await append(service, 'apikey-key_of_tomorrow', -1);
    const fault = await faultOf(() => service.restart());
    expect(String(fault)).toBe(
      'UnknownEvent: stream category "apikey" has no event type "BookingPraised.v1" in this version of Waymark',
    );
    await service.stop().catch(() => {});
  });
});
