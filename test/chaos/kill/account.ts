import { VENUE } from './catalogue.ts';
import { eventually } from './real-time.ts';
import type { Entrance } from './stage.ts';
import type { WebhookPeer } from './webhook-peer.ts';
import { send } from './wire.ts';

/** The credentials of the clients. */
export type Account = {
  /** A key without limits: the demo key's plan allows fewer requests than the load sends. */
  readonly apiKey: string;
  readonly deviceKey: string;
};

/** A service and the credentials for it. */
export type Service = Pick<Entrance, 'url' | 'adminToken'> & Account;

/** Within this time every process knows a new key or device. */
const KNOWN_MS = 10_000;

/** Creates an API key with a receiver, and a gate device. Resolves when every process knows both. */
export async function openAccount(
  { url, urls, adminToken }: Entrance,
  webhook: Pick<WebhookPeer, 'url' | 'expect'>,
): Promise<Account> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const made = async <Data>(path: string, wish: object): Promise<Data> => {
    const answer = await send<Data>(`${url()}${path}`, headers, wish);
    if (answer.kind !== 'done') throw new Error(`${path} was answered ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const wish = { name: 'Load', plan: 'enterprise', webhook_url: webhook.url };
  const key = await made<{ readonly key: string; readonly webhook_secret: string }>('/api/keys', wish);
  webhook.expect(key.webhook_secret);
  const device = await made<{ readonly device_key: string }>(`/api/venues/${VENUE}/devices`, { name: 'Gate' });
  const account = { apiKey: key.key, deviceKey: device.device_key };
  for (const at of urls)
    if (!(await eventually(() => known(at, account), KNOWN_MS))) throw new Error(`${at} does not know who may come in`);
  return account;
}

async function known(url: string, { apiKey, deviceKey }: Account): Promise<boolean> {
  const listed = await send(`${url}/api/b2a/bookings?limit=1`, { 'x-api-key': apiKey }, null);
  const shown = await send(
    `${url}/api/venue/verify`,
    { 'x-device-key': deviceKey },
    { code: 'nothing', gate: 'a gate' },
  );
  return listed.kind === 'done' && shown.kind === 'refused' && shown.code === 'VOUCHER_NOT_FOUND';
}
