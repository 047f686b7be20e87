import { expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { verifyBodySignature } from '../../examples/verify-webhook.ts';
import { type Service, startProgram, startService } from '../support/process.ts';
import { openReceiver } from '../support/receiver.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SECRET = `whsec_${Buffer.from('32 bytes, which only a test uses').toString('base64')}`;
const PATIENCE_MS = 60_000;

async function post<T>(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<T> {
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const answer = (await (await fetch(url, { ...init, body: JSON.stringify(body) })).json()) as { readonly data: T };
  return answer.data;
}

async function book({ url }: Service, key: string): Promise<void> {
  const headers = { 'x-api-key': key };
  const date = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
  const wish = { user_name: 'Ada Lovelace', user_email: 'ada@example.com', booking_date: date, num_adults: 2 };
  await post(`${url}/api/b2a/execute_booking`, headers, { activity_id: 'bkk-bamboo-bar-jazz', ...wish });
}

test(
  'waymark listen forwards the events of a key, signed, beside the deliveries to its own URL, until Ctrl-C',
  async () => {
    using directory = temporaryDirectory();
    const settings = { DATA_DIR: directory.file('data'), PORT: '0' };
    await using own = openReceiver();
    await using developers = openReceiver();
    await using service = await startService(settings);
    const admin = { authorization: `Bearer ${service.adminToken}` };
    const wanted = { name: 'An agent', plan: 'basic', webhook_url: own.url, webhook_events: ['booking_confirmed'] };
    const { key } = await post<{ readonly key: string }>(`${service.url}/api/keys`, admin, wanted);

    await using listening = startProgram(['listen', '--forward-to', `${developers.url}/hook`, '--secret', SECRET], {
      ...settings,
      WAYMARK_API_KEY: key,
    });
    await listening.stdout.line(/^waiting for events/);
    await book(service, key);
    const [delivered, forwarded] = await Promise.all([own.arrived(1), developers.arrived(1)]);

    const { headers, body, path } = forwarded;
    expect([path, body]).toEqual(['/hook', delivered.body]);
    expect(new Webhook(SECRET).verify(body, headers.toJSON())).toEqual(JSON.parse(body));
    expect(verifyBodySignature(headers.get('x-service-signature'), body, SECRET)).toBe(true);
    const named = (sent: Headers) => [...sent.keys()].filter((name) => /^(x-service|webhook)-|^user-agent/.test(name));
    expect(named(headers).toSorted()).toEqual(named(delivered.headers).toSorted());
    expect(await listening.stdout.line(/ booking_confirmed evt_\w+ status 200 \(\d+ ms\)$/)).not.toBeNull();
    expect(await listening.terminate('SIGINT')).toBe(0);
  },
  PATIENCE_MS,
);

test('waymark listen ends with code 1 if the service refuses the key', async () => {
  using directory = temporaryDirectory();
  const settings = { DATA_DIR: directory.file('data'), PORT: '0' };
  await using service = await startService(settings);
  const env = { ...settings, WAYMARK_API_KEY: '0'.repeat(64) };
  await using listening = startProgram(['listen', '--forward-to', service.url], env);
  expect(await listening.ended()).toBe(1);
  expect(listening.stderr.text).toContain('the service refuses: INVALID_API_KEY');
});
