import { writeFileSync } from 'node:fs';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';

/** Noon in Bangkok, when venues are open. */
export const NOON = '2026-11-27T05:00:00.000Z';

/** A dashboard of a service whose time stands still at noon. */
export async function openAtNoon(): Promise<AsyncDisposable & { readonly dashboard: Dashboard }> {
  const directory = temporaryDirectory();
  const clock = directory.file('now');
  writeFileSync(clock, NOON);
  const dashboard = await openDashboard({ WAYMARK_TEST_CLOCK: clock });
  return {
    dashboard,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      directory.remove();
    },
  };
}

type Booked = {
  readonly booking_id: string;
  readonly voucher: { readonly code: string };
};

/** Visits of couples and families at activities in Bangkok, and one booking that is cancelled and refunded. */
export type Season = {
  readonly keyId: string;
  readonly device: { readonly id: string; readonly venueId: string; readonly name: string };
  /** The activities by the number of visits of couples, the most first. */
  readonly byCouples: readonly string[];
};

type Inventory = {
  readonly inventory: readonly {
    readonly activity_id: string;
    readonly venue_id: string;
  }[];
  readonly metadata: { readonly query_date: string };
};

const COUPLES = [3, 2, 1];

/** Makes a season with a key of its own, and waits until reports have it. Its gate devices are named after their venues. */
export async function aSeason(dashboard: Dashboard): Promise<Season> {
  const { id: keyId, key } = await dashboard.api<{ id: string; key: string }>('POST', '/api/keys', {
    name: 'A season',
    plan: 'enterprise',
  });
  const agent = { 'x-api-key': key, authorization: '' };
  const { inventory, metadata } = await dashboard.api<Inventory>(
    'GET',
    '/api/b2a/inventory?city=Bangkok&limit=50',
    undefined,
    agent,
  );
  const day = metadata.query_date;
  const venues = new Map(inventory.map((entry) => [entry.venue_id, entry]));
  const places = [...venues.values()].slice(0, COUPLES.length);

  async function book(activityId: string, travelType: string): Promise<Booked> {
    const profile = { user_profile: { travel_type: travelType }, location: { city: 'Bangkok' } };
    const asked = await dashboard.api<{ context: { log_id: string } }>('POST', '/api/b2a/recommend', profile, agent);
    const wish = {
      activity_id: activityId,
      booking_date: day,
      user_name: 'Ada Lovelace',
      user_email: 'ada@example.com',
      num_adults: 2,
      context_log_id: asked.context.log_id,
    };
    return dashboard.api<Booked>('POST', '/api/b2a/execute_booking', wish, agent);
  }

  const devices: { readonly id: string; readonly key: string; readonly venueId: string; readonly name: string }[] = [];
  for (const { venue_id: venueId } of places) {
    const name = `Gate of ${venueId}`;
    const made = await dashboard.api<{ device_id: string; device_key: string }>(
      'POST',
      `/api/venues/${venueId}/devices`,
      { name },
    );
    devices.push({ id: made.device_id, key: made.device_key, venueId, name });
  }
  for (const [index, place] of places.entries()) {
    const device = devices[index];
    if (device === undefined) throw new Error('each place has a device');
    const visit = async (travelType: string): Promise<void> => {
      const { voucher } = await book(place.activity_id, travelType);
      const gate = { 'x-device-key': device.key, authorization: '' };
      await dashboard.api('POST', '/api/venue/verify', { code: voucher.code }, gate);
    };
    for (let count = 0; count < (COUPLES[index] ?? 0); count++) await visit('couple');
    if (index === places.length - 1) for (let count = 0; count < 4; count++) await visit('family');
  }
  const [first] = places;
  const [device] = devices;
  if (first === undefined || device === undefined) throw new Error('Bangkok has no activity today');
  const { booking_id } = await book(first.activity_id, 'couple');
  await dashboard.api('POST', `/api/bookings/${booking_id}/cancel`, { reason: 'weather' });
  await dashboard.projected();
  return { keyId, device, byCouples: places.map(({ activity_id }) => activity_id) };
}
