import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../support/process.ts';
import type { Credentials } from './headers.ts';
import type { Pool } from './pool.ts';
import type { Secrets } from './secrets.ts';

/** Who attacks, with keys of their own, and what they may use. */
export type Crew = { readonly credentials: Credentials };

type Json = Readonly<Record<string, unknown>>;
type NewKey = { readonly id: string; readonly key: string; readonly webhook_secret: string };
type Slot = { readonly activity_id: string; readonly venue_id: string; readonly available_slots: number };

const NOBODY = 'http://127.0.0.1:1/';
const GUEST = { user_name: 'Ada Lovelace', user_email: 'ada@example.com', num_adults: 1 };

/**
 * A key without limits, a gate device, two bookings and a hold. What the attackers do to them makes their requests fail alike,
 * so there is a new crew from time to time.
 */
export async function newCrew(service: Service, dataDirectory: string, pool: Pool, secrets: Secrets): Promise<Crew> {
  const admin = { authorization: `Bearer ${service.adminToken}` };
  const { id, key } = await newKey(service, admin, secrets);
  pool.spare(id);
  const agent = { 'x-api-key': key };
  const { inventory } = await asked<{ readonly inventory: readonly Slot[] }>(
    service,
    '/api/b2a/inventory?city=Bangkok',
    agent,
  );
  const slot = inventory.toSorted((a, b) => b.available_slots - a.available_slots)[0];
  if (slot === undefined) throw new Error('there is nothing to book');
  const bookingDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const wish = { ...GUEST, activity_id: slot.activity_id, booking_date: bookingDate };
  for (const body of [wish, wish]) pool.learn(await asked<Json>(service, '/api/b2a/execute_booking', agent, body));
  pool.learn(await asked<Json>(service, '/api/b2a/holds', agent, wish));
  const profile = { user_profile: { travel_type: 'couple' }, location: { city: 'Bangkok' } };
  pool.learn(await asked<Json>(service, '/api/b2a/recommend', agent, profile));
  pool.learn({ activity_id: slot.activity_id, venue_id: slot.venue_id, booking_date: bookingDate });
  const device = await asked<{ device_id: string; device_key: string }>(
    service,
    `/api/venues/${slot.venue_id}/devices`,
    admin,
    { name: 'Door' },
  );
  pool.spare(device.device_id);
  secrets.keep('a device key', device.device_key);
  const analyst = readFileSync(join(dataDirectory, 'analyst-token'), 'utf8').trim();
  return {
    credentials: { ApiKey: key, DeviceKey: device.device_key, AdminToken: service.adminToken, AnalystToken: analyst },
  };
}

/** Somebody else, whose voucher none of the crews may ever see; and the secrets of the service itself. */
export async function keepSecrets(service: Service, dataDirectory: string, secrets: Secrets): Promise<void> {
  const admin = { authorization: `Bearer ${service.adminToken}` };
  const agent = { 'x-api-key': (await newKey(service, admin, secrets)).key };
  const { inventory } = await asked<{ readonly inventory: readonly Slot[] }>(
    service,
    '/api/b2a/inventory?city=Bali',
    agent,
  );
  const bookingDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const wish = { ...GUEST, activity_id: inventory[0]?.activity_id, booking_date: bookingDate };
  const { voucher } = await asked<{ voucher: { code: string } }>(service, '/api/b2a/execute_booking', agent, wish);
  secrets.keep("a stranger's voucher", voucher.code, service.adminToken);
  for (const name of ['admin-token', 'analyst-token', 'secret-key'])
    secrets.keep(`the file ${name}`, readFileSync(join(dataDirectory, name), 'utf8').trim());
  secrets.keep('the demo key', service.apiKey);
  for (const deviceKey of Object.values(service.deviceKeys)) secrets.keep('a device key', deviceKey);
  for (const sealed of sealedIn(dataDirectory)) secrets.keepText('sealed material', sealed);
}

/** What the events hold sealed, as it lies in the files. */
function sealedIn(dataDirectory: string): ReadonlySet<string> {
  const files = readdirSync(dataDirectory).filter((name) => name.startsWith('events.db'));
  const texts = files.map((name) => readFileSync(join(dataDirectory, name), 'latin1'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/"(?:sealed|webhookSecret)":"([\w-]{40,})"/g)].map(([, sealed = '']) => sealed),
    ),
  );
}

async function newKey(service: Service, admin: Readonly<Record<string, string>>, secrets: Secrets): Promise<NewKey> {
  const settings = { name: 'A crew', plan: 'enterprise', webhook_url: NOBODY };
  const made = await asked<NewKey>(service, '/api/keys', admin, settings);
  secrets.keep('an API key', made.key);
  secrets.keep('a webhook secret', made.webhook_secret);
  return made;
}

/** @throws where the answer is no success: without it there is nothing to attack with */
async function asked<Data>(
  { url }: Service,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Json | null = null,
): Promise<Data> {
  const request: RequestInit = body === null ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, {
    ...request,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  // The parser of this boundary: the service's own tests look at what is in the envelope.
  const answer = (await response.json()) as { readonly success: boolean; readonly data: Data };
  if (!answer.success) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
  return answer.data;
}
