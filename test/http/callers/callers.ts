import { PERMISSIONS } from '../../../src/domain/apikey/apikey.ts';
import type { Role } from '../../../src/domain/operator/roles.ts';
import { deliveryEvents } from '../../support/deliveries.ts';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { createOperator } from '../../support/operators.ts';
import { type Credentials, openService, type Service, withDevice, withKey, withToken } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';
import type { Owned } from './rows.ts';

/** Texts of the owner's data. No answer to somebody else contains them, except to operators who see the guest. */
export const MARKERS = [
  'Zora Quill',
  'zora@quill.example',
  'marker-requests',
  'marker-reference',
  'marker-path',
  'marker-hook',
];

/** Everybody who may call, by kind; `lacking` has all permissions except those given. */
export type Callers = Readonly<Record<Kind, Credentials>> & {
  lacking(permissions: readonly string[]): Promise<Credentials>;
};

export const KINDS = [
  ...(['nobody', 'wrong', 'owner', 'otherKey', 'testKey', 'deactivated'] as const),
  ...(['gate', 'otherGate', 'testGate', 'pausedGate', 'removedGate'] as const),
  ...(['admin', 'analyst', 'namedAdmin', 'namedAnalyst', 'support', 'viewer', 'revoked', 'rotated'] as const),
];
export type Kind = (typeof KINDS)[number];

/** The roles of those whose token works: `admin` and `analyst` have the tokens of the settings. */
export const ROLE_OF = {
  admin: 'admin',
  namedAdmin: 'admin',
  analyst: 'analyst',
  namedAnalyst: 'analyst',
  support: 'support',
  viewer: 'viewer',
} as const satisfies Partial<Record<Kind, Role>>;

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
  const [revoked, rotated] = [await createOperator(service, 'admin'), await createOperator(service, 'admin')];
  await service.post(`/api/operators/${revoked.id}/revoke`, {}, service.admin);
  await service.post(`/api/operators/${rotated.id}/rotate`, {}, service.admin);
  const spareOperator = await createOperator(service, 'viewer');
  const named = async (role: Role) => (await createOperator(service, role)).headers;
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
    admin: service.admin,
    analyst: service.analyst,
    namedAdmin: await named('admin'),
    namedAnalyst: await named('analyst'),
    support: await named('support'),
    viewer: await named('viewer'),
    revoked: revoked.headers,
    rotated: rotated.headers,
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
    owned: {
      ...owned,
      spare_key_id: spare.id,
      spare_device_id: spareGate.device_id,
      spare_operator_id: spareOperator.id,
      key_id: owning.id,
      guest_stream: (await service.events()).find(({ type }) => type.startsWith('GuestRecorded.'))?.stream ?? '',
    },
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

type Spare = 'spare_key_id' | 'spare_device_id' | 'spare_operator_id' | 'key_id' | 'guest_stream';

async function dataOf(service: Service, owner: Credentials): Promise<Omit<Owned, Spare>> {
  const { data: booking } = await service.book(
    {
      user_name: 'Zora Quill',
      user_email: 'zora@quill.example',
      special_requests: 'marker-requests',
      reference: 'marker-reference',
      webhook_url: 'http://127.0.0.1:9/marker-hook',
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
  for (const projection of ['bookings', 'feed', 'guests', 'holds']) await service.documents(projection);
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
