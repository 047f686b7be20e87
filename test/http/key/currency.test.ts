import { describe, expect, test } from 'bun:test';
import type { Currency } from '../../../src/ports/currency.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import type { Answer } from '../../support/service-answers.ts';

const UNKNOWN = withKey('0'.repeat(64));

/** What this node knows has no proof until `confirm`. */
function unproven() {
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<boolean>();
  const state = { asked: 0, waiting: 0 };
  const currency: Currency = {
    current: () => {
      state.asked++;
      return false;
    },
    confirmed: () => {
      state.waiting++;
      return confirmed;
    },
  };
  return { state, currency, confirm };
}

function unprove(service: Service, known: 'keys' | 'devices') {
  const proof = unproven();
  Object.assign(service.node.context.currency, { [known]: proof.currency });
  return proof;
}

const ask = (service: Service, key = service.key): Promise<Answer> => service.get('/api/health', key);

describe('a key that this node may know too late', () => {
  test('is refused until the node knows that it is current', async () => {
    await using service = await openService();
    const { confirm } = unprove(service, 'keys');
    confirm(false);
    const { status, refusal, headers } = await ask(service);
    expect([status, refusal.code, refusal.retryable, headers.get('retry-after')]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      true,
      '1',
    ]);
    expect(service.logged.at(-1)).toMatchObject({
      happening: 'request answered 503',
      facts: { call: 'proof that the API keys are current', endpoint: 'health' },
    });
  });

  test('waits for the proof, and is looked up again after it', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey();
    const { state, confirm } = unprove(service, 'keys');
    const [pending, others] = [ask(service, withKey(key)), ask(service)];
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    expect(state.waiting).toBe(2);
    confirm(true);
    expect((await pending).refusal.code).toBe('KEY_INACTIVE');
    expect((await others).status).toBe(200);
  });

  test('that is unknown is refused at once, but a read of the log begins', async () => {
    await using service = await openService();
    const { state } = unprove(service, 'keys');
    expect((await ask(service, UNKNOWN)).refusal.code).toBe('INVALID_API_KEY');
    expect(state).toEqual({ asked: 1, waiting: 0 });
  });
});

describe('a gate device that this node may know too late', () => {
  const verify = (service: Service) => service.verify({ code: 'nothing' });

  test('is refused until the node knows that it is current; keys are not concerned', async () => {
    await using service = await openService();
    const { confirm } = unprove(service, 'devices');
    expect((await ask(service)).status).toBe(200);
    confirm(false);
    const { status, refusal, headers } = await verify(service);
    expect([status, refusal.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
  });

  test('waits for the proof, and is refused if it was paused meanwhile', async () => {
    await using service = await openService();
    const { device_id, device_key } = await service.createDevice('old-pier');
    const { state, confirm } = unprove(service, 'devices');
    const pending = service.verify({ code: 'nothing' }, { 'x-device-key': device_key });
    await service.post(`/api/venues/old-pier/devices/${device_id}/pause`, {}, service.admin);
    expect(state.waiting).toBe(1);
    confirm(true);
    expect((await pending).refusal.code).toBe('KEY_INACTIVE');
  });

  test('waits for the proof', async () => {
    await using service = await openService();
    const { confirm } = unprove(service, 'devices');
    const pending = verify(service);
    confirm(true);
    expect((await pending).refusal.code).toBe('VOUCHER_NOT_FOUND');
  });
});
