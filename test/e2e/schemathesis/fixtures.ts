import { addDays, localDate } from '../../../src/domain/activity/schedule.ts';
import type { Service } from '../../support/process.ts';
import { type Credentials, withDevice, withKey, withToken } from '../../support/service.ts';

/** What `hooks.py` reads. */
export type Fixtures = {
  /** Headers by security scheme. */
  readonly credentials: Readonly<Record<string, Credentials>>;
  /** Values of path parameters by operation; `*`: of every operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Ids that no generated request may use: those of `credentials`. */
  readonly kept: readonly string[];
  /** Values that replace generated texts in bodies. */
  readonly body: Readonly<Record<string, string>>;
};

/** Nothing listens there. */
const NO_RECEIVER = 'http://127.0.0.1:1/';
const GUEST = { user_name: 'Ada Lovelace', user_email: 'ada@example.com' };
/** More than an operation that ends bookings or holds gets. */
const ENOUGH = 40;

type Slot = { readonly activity_id: string; readonly venue_id: string; readonly available_slots: number };

/** Creates keys, a device, and separate bookings or holds for each operation that changes them. */
export async function createFixtures(service: Service): Promise<Fixtures> {
  const post = <Data>(path: string, body: object, headers: Credentials): Promise<Data> =>
    answer(service, path, { method: 'POST', body: JSON.stringify(body), headers });
  const admin = withToken(service.adminToken);
  const newKey = () => post<{ id: string; key: string }>('/api/keys', { name: 'Tests', plan: 'enterprise' }, admin);
  const [own, other] = [await newKey(), await newKey()];
  const agent = withKey(own.key);
  const date = addDays(localDate('Bangkok', Date.now()), 3);
  const query = `/api/b2a/inventory?city=Bangkok&date=${date}`;
  const found = await answer<{ inventory: Slot[] }>(service, query, { headers: agent });
  const [slot, another] = found.inventory.toSorted((a, b) => b.available_slots - a.available_slots);
  if (slot === undefined || another === undefined) throw new Error('Bangkok has too few activities');
  const venue = `/api/venues/${slot.venue_id}/devices`;
  const device = await post<{ device_id: string; device_key: string }>(venue, { name: 'A gate' }, admin);
  const place = { activity_id: slot.activity_id, booking_date: date };
  const times = <Made>(number: number, make: () => Promise<Made>) => Promise.all(Array.from({ length: number }, make));
  const bookings = (number: number) =>
    times(number, async () => {
      const order = { ...place, ...GUEST, num_adults: 1 };
      return (await post<{ booking_id: string }>('/api/b2a/execute_booking', order, agent)).booking_id;
    });
  const holds = (number: number) =>
    times(
      number,
      async () => (await post<{ hold_id: string }>('/api/b2a/holds', { ...place, num_adults: 1 }, agent)).hold_id,
    );
  const operators = (number: number) =>
    times(
      number,
      async () => (await post<{ id: string }>('/api/operators', { name: 'Tests', role: 'viewer' }, admin)).id,
    );
  const ended = { booking_id: await bookings(ENOUGH) };
  // The operator's changes must not end the sale of what agents book.
  const elsewhere = { activity_id: [another.activity_id], date: [date] };
  return {
    credentials: {
      ApiKey: agent,
      OperatorToken: admin,
      DeviceKey: withDevice(device.device_key),
      Session: await signedIn(service),
    },
    paths: {
      '*': {
        booking_id: await bookings(4),
        hold_id: await holds(4),
        venue_id: [another.venue_id],
        ...elsewhere,
        id: [other.id],
      },
      modify_booking: { booking_id: await bookings(ENOUGH) },
      cancel_booking: ended,
      cancel_any_booking: ended,
      reject_booking: ended,
      erase_guest: ended,
      change_operator: { id: await operators(2) },
      rotate_operator: { id: await operators(2) },
      revoke_operator: { id: await operators(ENOUGH) },
      release_hold: { hold_id: await holds(ENOUGH) },
    },
    kept: [own.id],
    body: { ...place, webhook_url: NO_RECEIVER },
  };
}

/** The headers of a session: the first request that signs out ends it. */
async function signedIn({ url, adminToken }: Service): Promise<Credentials> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: adminToken }),
  });
  const { data } = (await response.json()) as { readonly data: { readonly csrf_token: string } };
  const cookie = (response.headers.get('set-cookie') ?? '').replace(/;.*$/, '');
  return { cookie, 'x-csrf-token': data.csrf_token };
}

async function answer<Data>({ url }: Service, path: string, { headers, ...init }: RequestInit): Promise<Data> {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { 'content-type': 'application/json', ...(headers as Credentials) },
  });
  const body = (await response.json()) as { readonly success: boolean; readonly data: Data };
  if (!body.success) throw new Error(`${path} answered ${JSON.stringify(body)}`);
  return body.data;
}
