import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../support/process.ts';
import type { Corpus } from './corpus.ts';
import type { Credentials } from './headers.ts';
import { NO_RECEIVER } from './request.ts';
import type { Secrets } from './secrets.ts';

/** What a batch of requests uses. */
export type Fixtures = { readonly credentials: Credentials };

type Json = Readonly<Record<string, unknown>>;
type NewKey = { readonly id: string; readonly key: string; readonly webhook_secret: string };
type Slot = { readonly activity_id: string; readonly venue_id: string; readonly available_slots: number };

const GUEST = { user_name: 'Ada Lovelace', user_email: 'ada@example.com', num_adults: 1 };

/**
 * A key of the highest plan, a gate device, two bookings and a hold. Requests that change them make later ones fail in the
 * same way, so each batch gets new ones.
 */
export async function createFixtures(
  service: Service,
  dataDirectory: string,
  corpus: Corpus,
  secrets: Secrets,
): Promise<Fixtures> {
  const admin = { authorization: `Bearer ${service.adminToken}` };
  const { id, key } = await newKey(service, admin, secrets);
  corpus.exclude(id);
  const agent = { 'x-api-key': key };
  const { inventory } = await call<{ readonly inventory: readonly Slot[] }>(
    service,
    '/api/b2a/inventory?city=Bangkok',
    agent,
  );
  const slot = inventory.toSorted((a, b) => b.available_slots - a.available_slots)[0];
  if (slot === undefined) throw new Error('no activity can be booked');
  const bookingDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const held = { activity_id: slot.activity_id, booking_date: bookingDate };
  const order = { ...GUEST, ...held };
  for (const body of [order, order]) corpus.learn(await call<Json>(service, '/api/b2a/execute_booking', agent, body));
  corpus.learn(await call<Json>(service, '/api/b2a/holds', agent, { ...held, num_adults: 1 }));
  const profile = { user_profile: { travel_type: 'couple' }, location: { city: 'Bangkok' } };
  corpus.learn(await call<Json>(service, '/api/b2a/recommend', agent, profile));
  corpus.learn({ activity_id: slot.activity_id, venue_id: slot.venue_id, booking_date: bookingDate });
  const device = await call<{ device_id: string; device_key: string }>(
    service,
    `/api/venues/${slot.venue_id}/devices`,
    admin,
    { name: 'Door' },
  );
  corpus.exclude(device.device_id);
  secrets.add('a device key', device.device_key);
  const analyst = readFileSync(join(dataDirectory, 'analyst-token'), 'utf8').trim();
  return {
    credentials: {
      ApiKey: key,
      DeviceKey: device.device_key,
      OperatorToken: service.adminToken,
      Session: await signIn(service),
      analyst,
    },
  };
}

/** Registers the voucher of another key's booking, and the secrets of the service. No answer may contain them. */
export async function registerSecrets(service: Service, dataDirectory: string, secrets: Secrets): Promise<void> {
  const admin = { authorization: `Bearer ${service.adminToken}` };
  const agent = { 'x-api-key': (await newKey(service, admin, secrets)).key };
  const { inventory } = await call<{ readonly inventory: readonly Slot[] }>(
    service,
    '/api/b2a/inventory?city=Bali',
    agent,
  );
  const bookingDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const order = { ...GUEST, activity_id: inventory[0]?.activity_id, booking_date: bookingDate };
  const { voucher } = await call<{ voucher: { code: string } }>(service, '/api/b2a/execute_booking', agent, order);
  secrets.add("a stranger's voucher", voucher.code, service.adminToken);
  for (const name of ['admin-token', 'analyst-token', 'secret-key'])
    secrets.add(`the file ${name}`, readFileSync(join(dataDirectory, name), 'utf8').trim());
  secrets.add('the demo key', service.apiKey);
  for (const deviceKey of Object.values(service.deviceKeys)) secrets.add('a device key', deviceKey);
  for (const sealed of sealedIn(dataDirectory)) secrets.addText('sealed material', sealed);
}

/** The sealed values in the event store's files. */
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
  const settings = { name: 'Fuzzer', plan: 'enterprise', webhook_url: NO_RECEIVER };
  const made = await call<NewKey>(service, '/api/keys', admin, settings);
  secrets.add('an API key', made.key);
  secrets.add('a webhook secret', made.webhook_secret);
  return made;
}

/** The cookie of a session of the admin. @throws if signing in fails */
async function signIn({ url, adminToken }: Service): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: adminToken }),
  });
  if (!response.ok) throw new Error(`signing in was answered ${response.status}`);
  return (response.headers.get('set-cookie') ?? '').replace(/;.*$/, '');
}

/** @throws if the request fails */
async function call<Data>(
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
  // Other tests check the envelope.
  const answer = (await response.json()) as { readonly success: boolean; readonly data: Data };
  if (!answer.success) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
  return answer.data;
}
