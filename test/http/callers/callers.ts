import { PERMISSIONS } from '../../../src/domain/apikey/apikey.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { type Credentials, openService, type Service, withDevice, withKey, withToken } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';
import type { Owned } from './rows.ts';

/** Texts of the owner's data. No answer to somebody else contains them. */
export const MARKERS = ['Zora Quill', 'zora@quill.example', 'marker-requests', 'marker-reference', 'marker-path'];

/** Everybody who may call, by kind; `lacking` has all permissions except those given. */
export type Callers = Readonly<Record<Kind, Credentials>> & {
  lacking(permissions: readonly string[]): Promise<Credentials>;
};

export const KINDS = [
  ...(['nobody', 'wrong', 'owner', 'otherKey', 'testKey', 'deactivated'] as const),
  ...(['gate', 'otherGate', 'testGate', 'pausedGate', 'removedGate', 'analyst', 'admin'] as const),
];
export type Kind = (typeof KINDS)[number];

/** A service with every kind of caller, and the owner's booking, hold, recommendation and delivery. */
export async function openWithCallers(): Promise<{
  service: Service;
  callers: Callers;
  owned: Owned;
  streams: string[];
}> {
  const service = await openService();
  const create = (settings: object = {}) => service.createKey(settings);
  // A port at which no receiver listens.
  const owning = await create({ name: 'Marker key', webhook_url: 'http://127.0.0.1:9/marker-path' });
  const owner = withKey(owning.key);
  const owned = await dataOf(service, owner);
  const [deactivated, spare] = [await create(), await create()];
  await service.post(`/api/keys/${deactivated.id}/deactivate`, {}, service.admin);
  const [paused, removed, spareGate] = [await gate(service), await gate(service), await gate(service)];
  await service.post(`/api/venues/old-pier/devices/${paused.device_id}/pause`, {}, service.admin);
  await service.delete(`/api/venues/old-pier/devices/${removed.device_id}`, service.admin);
  const unknown = '0123456789abcdef'.repeat(4);
  const lacking = new Map<string, Credentials>();
  const callers: Callers = {
    nobody: {},
    wrong: { ...withKey(unknown), ...withDevice(unknown), ...withToken(unknown) },
    owner,
    otherKey: withKey((await create()).key),
    testKey: await testKey(service),
    deactivated: withKey(deactivated.key),
    gate: service.gates.pier,
    otherGate: service.gates.yard,
    testGate: await testGate(service),
    pausedGate: withDevice(paused.device_key),
    removedGate: withDevice(removed.device_key),
    analyst: service.analyst,
    admin: service.admin,
    async lacking(permissions) {
      const rest = PERMISSIONS.filter((each) => !permissions.includes(each));
      const known = lacking.get(rest.join()) ?? withKey((await create({ permissions: rest })).key);
      lacking.set(rest.join(), known);
      return known;
    },
  };
  return {
    service,
    callers,
    owned: { ...owned, spare_key_id: spare.id, spare_device_id: spareGate.device_id },
    streams: [
      `apikey-${owning.id}`,
      `booking-${owned.booking_id}`,
      `hold-${owned.hold_id}`,
      `delivery-${owned.delivery_id}`,
      'venue-old-pier',
    ],
  };
}

function gate(service: Service) {
  return service.createDevice('old-pier');
}

async function dataOf(service: Service, owner: Credentials): Promise<Omit<Owned, 'spare_key_id' | 'spare_device_id'>> {
  const { data: booking } = await service.book(
    {
      user_name: 'Zora Quill',
      user_email: 'zora@quill.example',
      special_requests: 'marker-requests',
      reference: 'marker-reference',
    },
    owner,
  );
  const holding = { activity_id: 'river-walk', booking_date: booking.booking_date, num_adults: 2 };
  const { data: hold } = await service.post<AnswerOf<'post /api/b2a/holds'>>('/api/b2a/holds', holding, owner);
  const { data: experiment } = await service.post<AnswerOf<'post /api/ops/experiments'>>(
    '/api/ops/experiments',
    { ...AN_EXPERIMENT, city: 'Hanoi' },
    service.admin,
  );
  const { data: recommended } = await service.recommend({}, owner);
  const [scheduled] = await deliveryEvents(service, 'DeliveryScheduled', 1);
  await deliveryEvents(service, 'AttemptFailed', 1);
  await service.documents('deliveries');
  await service.documents('feed');
  return {
    booking_id: booking.booking_id,
    hold_id: hold.hold_id,
    delivery_id: scheduled?.stream.slice('delivery-'.length) ?? '',
    event_id: scheduled?.data.eventId ?? '',
    log_id: recommended.context.log_id,
    voucher_code: booking.voucher.code,
    experiment_id: experiment.id,
  };
}
