import { headOf } from './log-of-service.ts';
import { type Credentials, type Service, TOMORROW, withDevice, withKey } from './service.ts';
import type { Device } from './service-answers.ts';

/** The header of a new key that makes test bookings, on the plan without limits. */
export async function testKey(service: Service, settings: object = {}): Promise<Credentials> {
  return withKey((await service.createKey({ mode: 'test', ...settings })).key);
}

/** The header of a new gate device that verifies test bookings at the old pier. */
export async function testGate(service: Service): Promise<Credentials> {
  const wish = { name: 'Test gate', mode: 'test' };
  return withDevice((await service.post<Device>('/api/venues/old-pier/devices', wish, service.admin)).data.device_key);
}

/** The free slots of tomorrow's river walk that inventory shows a key, after every write so far. */
export async function shownFree(service: Service, key: Credentials): Promise<number> {
  const headers = { ...key, 'x-position': await headOf(service) };
  const answer = await service.inventory(`activity_id=river-walk&date=${TOMORROW}`, headers);
  return answer.status === 404 ? 0 : (answer.data.inventory[0]?.available_slots ?? 0);
}

/** Bookings of one guest each, all at once. */
export function bookMany(service: Service, count: number, key: Credentials) {
  return Promise.all(Array.from({ length: count }, () => service.book({ num_adults: 1 }, key)));
}
