import { afterEach, beforeEach, expect, test } from 'bun:test';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

let service: Service;
let booking: string;
beforeEach(async () => {
  service = await openService();
  booking = (await service.book()).data.booking_id;
});
afterEach(() => service.stop());

/** From now on the store cannot append events that begin with this type. */
function fails(...types: readonly string[]): void {
  const { store } = service.node.stores;
  const append = store.append.bind(store);
  store.append = async (stream, revision, appended) => {
    if (types.some((type) => appended[0]?.type.startsWith(type))) throw new StoreUnavailable('event store', 'away');
    return append(stream, revision, appended);
  };
}

async function events(): Promise<readonly string[]> {
  return (await service.events()).map(({ stream, type }) => `${stream} ${type}`);
}

async function cancelled() {
  return service.post<{ status: string }>(`/api/bookings/${booking}/cancel`, { reason: 'weather' }, service.admin);
}

test('an act that cannot be recorded is not done', async () => {
  fails('ActRequested');
  const before = await events();
  const { refusal, status, headers } = await cancelled();
  expect([status, refusal.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
  expect(await events()).toEqual([...before]);
  expect((await service.booking(booking)).data.status).toBe('confirmed');
}, 20_000);

test('an act whose outcome cannot be recorded is answered; the audit shows it without an outcome', async () => {
  fails('ActAnswered');
  expect((await cancelled()).data.status).toBe('cancelled');
  expect(service.logged.filter(({ happening }) => happening === 'outcome of an act not recorded').length).toBe(1);
  const listed = await service.get<AnswerOf<'get /api/ops/audit'>>(
    '/api/ops/audit?operation=cancel_any_booking',
    service.admin,
  );
  expect(listed.data.items.map(({ objects, outcome }) => ({ objects, outcome }))).toEqual([
    { objects: [booking], outcome: null },
  ]);
}, 20_000);

test('data of guests that cannot be recorded is not shown', async () => {
  fails('GuestDataRead');
  const answer = await service.send(`/api/bookings/${booking}`, { headers: service.admin });
  expect(answer.status).toBe(503);
  expect(await answer.text()).not.toContain('Lovelace');
}, 20_000);

test('requests of keys and devices are not audited', async () => {
  const before = (await events()).filter((each) => each.startsWith('audit-'));
  await service.booking(booking);
  await service.get('/api/venue/revocations', service.gates.pier);
  expect((await events()).filter((each) => each.startsWith('audit-'))).toEqual([...before]);
});
