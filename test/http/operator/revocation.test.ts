import { describe, expect, test } from 'bun:test';
import type { Currency } from '../../../src/ports/currency.ts';
import { createOperator } from '../../support/operators.ts';
import { type Credentials, openService, type Service } from '../../support/service.ts';
import type { Answer } from '../../support/service-answers.ts';
import { slowStore } from '../../support/slow-store.ts';

/** This node's operators have no proof until `confirm`. */
function unprove(service: Service) {
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<boolean>();
  const state = { asked: 0, waiting: 0 };
  const operators: Currency = {
    current: () => {
      state.asked++;
      return false;
    },
    confirmed: () => {
      state.waiting++;
      return confirmed;
    },
  };
  Object.assign(service.node.context.currency, { operators });
  return { state, confirm };
}

const ask = (service: Service, headers: Credentials): Promise<Answer> => service.get('/api/bookings', headers);
const revoke = (service: Service, id: string) => service.post(`/api/operators/${id}/revoke`, {}, service.admin);

describe('an operator that this node may know too late', () => {
  test('is refused until the node knows that it is current; the tokens of the settings need no proof', async () => {
    await using service = await openService();
    const { headers } = await createOperator(service, 'viewer');
    const { state, confirm } = unprove(service);
    expect((await ask(service, service.admin)).status).toBe(200);
    expect(state).toEqual({ asked: 0, waiting: 0 });
    confirm(false);
    const { status, refusal, headers: answered } = await ask(service, headers);
    expect([status, refusal.code, answered.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    expect(service.logged.at(-1)).toMatchObject({
      happening: 'request answered 503',
      facts: { call: 'proof that the operators are current', endpoint: 'list_all_bookings' },
    });
  });

  test('waits for the proof, and is looked up again after it', async () => {
    await using service = await openService();
    const [revoked, demoted, kept] = [
      await createOperator(service, 'admin'),
      await createOperator(service, 'admin'),
      await createOperator(service, 'admin'),
    ];
    const { state, confirm } = unprove(service);
    const pending = [revoked, demoted, kept].map(({ headers }) => service.get('/api/keys', headers));
    await revoke(service, revoked.id);
    await service.patch(`/api/operators/${demoted.id}`, { role: 'support' }, service.admin);
    expect(state.waiting).toBe(3);
    confirm(true);
    const [first, second, third] = await Promise.all(pending);
    expect([first?.refusal.code, second?.refusal.code, third?.status]).toEqual(['INVALID_TOKEN', 'FORBIDDEN', 200]);
  });

  test('that is unknown is refused at once, but a read of the log begins', async () => {
    await using service = await openService();
    const { state } = unprove(service);
    expect((await ask(service, { authorization: `Bearer wmo_${'0'.repeat(64)}` })).refusal.code).toBe('INVALID_TOKEN');
    expect(state).toEqual({ asked: 1, waiting: 0 });
  });
});

test('a request that was admitted before the revocation is answered; the next one is refused', async () => {
  await using service = await openService();
  const { id, headers } = await createOperator(service, 'support');
  const { booking_id } = (await service.book()).data;
  const slow = slowStore(service.node.stores.store);
  slow.hold('BookingCancelled');
  const running = service.post(`/api/bookings/${booking_id}/cancel`, { reason: 'weather' }, headers);
  await slow.waiting('BookingCancelled');
  expect((await revoke(service, id)).status).toBe(200);
  expect((await ask(service, headers)).refusal.code).toBe('INVALID_TOKEN');
  slow.release();
  expect((await running).status).toBe(200);
  const cancelled = (await service.events()).find(({ type }) => type.startsWith('BookingCancelled'));
  expect(cancelled?.cause.by).toBe(id);
  expect((await ask(service, headers)).refusal.code).toBe('INVALID_TOKEN');
});

test('an operator is known and revoked without the read models', async () => {
  await using service = await openService();
  const { readModels } = service.node.stores;
  const unavailable = () => Promise.reject(new Error('the read models are unavailable'));
  Object.assign(readModels, { find: unavailable, load: unavailable, commit: unavailable });
  const { id, headers } = await createOperator(service, 'support');
  const released = (): Promise<Answer> => service.post('/api/holds/hold_0/release', {}, headers);
  expect((await released()).refusal.code).toBe('HOLD_NOT_FOUND');
  expect((await revoke(service, id)).status).toBe(200);
  expect((await released()).refusal.code).toBe('INVALID_TOKEN');
});
