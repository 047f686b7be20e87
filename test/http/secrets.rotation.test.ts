import { describe, expect, test } from 'bun:test';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBodySignature, verifyWebhook } from '../../examples/verify-webhook.ts';
import { headOf } from '../support/log-of-service.ts';
import { openReceiver, type Received } from '../support/receiver.ts';
import { scanPng } from '../support/scan.ts';
import { type Credentials, openService, type Service, TODAY, withKey } from '../support/service.ts';
import type { AnswerOf, Booking } from '../support/service-answers.ts';

/** Each test starts the service up to five times. */
const PATIENCE_MS = 180_000;
const ROTATE_WEBHOOK_SECRET = '/api/keys/self/webhook_secret/rotate';
const HOLD = { activity_id: 'river-walk', booking_date: TODAY, num_adults: 1 };
type Hold = AnswerOf<'post /api/b2a/holds'>;

/** Stops the service, makes its key the previous one, and starts: it generates a new one. */
function rotate(service: Service): Promise<void> {
  const file = (name: string) => join(service.directory, name);
  return service.restart(() => renameSync(file('secret-key'), file('secret-key-previous')));
}

/** Starts without the previous key, once the log says that nothing needs it. */
async function removePrevious(service: Service): Promise<void> {
  await resealed(service);
  await service.restart(() => rmSync(join(service.directory, 'secret-key-previous')));
}

/** Advances the time until the rotation has ended. Between two steps, commands in progress can complete in time. */
async function resealed(service: Service): Promise<void> {
  const ends = (): number => service.logged.filter(({ happening }) => happening === 'secrets re-sealed').length;
  const rotations = service.logged.filter(({ happening }) => happening === 'secret key replaced').length;
  for (let turn = 0; ends() < rotations; turn++) {
    if (turn % 2_000 === 0) service.clock.advance(31_000);
    await new Promise(setImmediate);
  }
}

/** Before, in and after a rotation, and after another one. */
const STAGES: readonly (readonly [stage: string, reach: (service: Service) => Promise<void>])[] = [
  ['before', async () => undefined],
  ['with both keys', rotate],
  ['without the previous key', removePrevious],
  ['with the next key', rotate],
  ['with that key alone', removePrevious],
];

describe('a rotation of the secret key', () => {
  test(
    'repeats no booking and no hold, and still detects other bodies',
    async () => {
      await using service = await openService();
      const [once, held] = [{ 'idempotency-key': 'a booking' }, { ...service.key, 'idempotency-key': 'a hold' }];
      const { data } = await service.book({ reference: 'order 7' }, once);
      const hold = (await service.post<Hold>('/api/b2a/holds', HOLD, held)).data;
      for (const [stage, reach] of STAGES) {
        await reach(service);
        const again = await service.book({ reference: 'order 7' }, once);
        const other = await service.book({ reference: 'order 8' }, once);
        const anotherHold = await service.post<Hold>('/api/b2a/holds', { ...HOLD, num_adults: 2 }, held);
        const found = await bookingsWith('order 7', service);
        expect([stage, again.data.booking_id, again.headers.get('idempotent-replayed')]).toEqual([
          stage,
          data.booking_id,
          'true',
        ]);
        expect([stage, other.refusal.code, anotherHold.refusal.code]).toEqual([
          stage,
          'IDEMPOTENCY_KEY_REUSED',
          'IDEMPOTENCY_KEY_REUSED',
        ]);
        expect(found.data.items.map((item) => item.booking_id)).toEqual([data.booking_id]);
      }
      // The guest whom the booking names by a fingerprint is found, and the hold can be used.
      expect((await service.booking(data.booking_id)).data.user_name).toBe('Ada Lovelace');
      expect((await service.book({ ...HOLD, hold_id: hold.hold_id })).data.status).toBe('confirmed');
      const types = (await service.events()).map(({ type }) => type);
      expect(types.filter((type) => type.startsWith('BookingConfirmed'))).toHaveLength(2);
    },
    PATIENCE_MS,
  );

  test(
    'keeps vouchers valid that were signed before, and the published keys',
    async () => {
      await using service = await openService();
      const tokens: string[] = [];
      for (const _ of STAGES) {
        const { data } = await service.book({ booking_date: TODAY });
        const image = await service.send(`/api/vouchers/${data.voucher.code}/qr.png`);
        tokens.push(scanPng(await image.arrayBuffer()));
      }
      const published = await (await service.send('/.well-known/waymark-voucher-keys.json')).text();
      for (const [index, [stage, reach]] of STAGES.entries()) {
        await reach(service);
        const { data } = await service.verify({ code: tokens[index] });
        expect([stage, data.verification_method]).toEqual([stage, 'qr_scan']);
        expect(await (await service.send('/.well-known/waymark-voucher-keys.json')).text()).toBe(published);
      }
    },
    PATIENCE_MS,
  );

  test(
    'signs webhooks with the same secrets, also with both of a key that replaces its own',
    async () => {
      await using receiver = openReceiver();
      await using service = await openService();
      const { key, webhook_secret: first } = await service.createKey({ webhook_url: receiver.url });
      const caller = withKey(key);
      const secrets = { first, second: await secondSecret(service, caller) };
      for (const [stage, reach] of STAGES) {
        await reach(service);
        const before = receiver.received.length;
        await service.book({}, caller);
        const received = await receiver.arrived(before + 1);
        expect([stage, verifiedWith(received, secrets, service)]).toEqual([
          stage,
          { standard: ['first', 'second'], body: ['first'] },
        ]);
      }
    },
    PATIENCE_MS,
  );

  test(
    're-seals every secret once, seals new ones with the new key, and says when the old one may go',
    async () => {
      await using service = await openService();
      await service.createKey();
      await rotate(service);
      const created = await service.createKey();
      await resealed(service);
      const events = await service.events();
      const since = events.slice(events.findIndex(({ type }) => type.startsWith('SecretKeyReplaced')));
      const own = since.filter(({ stream }) => /^(apikey|voucherkey|secretkey)-/.test(stream));
      expect(own.map(({ type }) => type.replace(/\..*/, '')).toSorted()).toEqual([
        'KeyCreated',
        'SecretKeyReplaced',
        'SecretsResealed',
        'VoucherKeyResealed',
        'WebhookSecretResealed',
        'WebhookSecretResealed',
      ]);
      expect(own.filter(({ stream }) => stream === `apikey-${created.id}`)).toHaveLength(1);
      const said = service.logged.filter(({ happening }) => happening === 'secrets re-sealed');
      expect(said.map(({ facts }) => facts)).toEqual([
        { keyId: expect.any(String), webhookSecrets: 2, voucherKeys: 1 },
      ]);
      await service.restart();
      expect(service.logged.map(({ happening }) => happening)).toContain('previous secret key not needed');
    },
    PATIENCE_MS,
  );

  test(
    'shows its progress to operators, and no secret',
    async () => {
      await using service = await openService();
      await rotate(service);
      await resealed(service);
      type Page = { items: { type: string; data: Record<string, unknown> }[] };
      const { data } = await service.get<Page>('/api/ops/streams/secretkey-ring', service.admin);
      expect(data.items.map((event) => [event.type, event.data['digestKey']])).toEqual([
        ['SecretKeyReplaced.v1', '[hidden]'],
        ['SecretsResealed.v1', undefined],
      ]);
      const key = readFileSync(join(service.directory, 'secret-key'), 'utf8');
      expect(JSON.stringify([await service.events(), service.logged])).not.toInclude(key);
    },
    PATIENCE_MS,
  );
});

async function bookingsWith(reference: string, service: Service) {
  const path = `/api/b2a/bookings?reference=${encodeURIComponent(reference)}`;
  return service.get<{ items: Booking[] }>(path, { ...service.key, 'x-position': await headOf(service) });
}

async function secondSecret(service: Service, caller: Credentials): Promise<string> {
  type Rotated = AnswerOf<'post /api/keys/self/webhook_secret/rotate'>;
  return (await service.post<Rotated>(ROTATE_WEBHOOK_SECRET, {}, caller)).data.webhook_secret;
}

/** Which secrets verify a request, by the Standard Webhooks headers and by the body's signature. */
function verifiedWith(
  { headers, body }: Received,
  secrets: Readonly<Record<string, string>>,
  { clock }: Pick<Service, 'clock'>,
) {
  const names = (fits: (secret: string) => boolean) =>
    Object.entries(secrets).flatMap(([name, secret]) => (fits(secret) ? [name] : []));
  return {
    standard: names((secret) => verifyWebhook(headers, body, secret, clock.nowMs()) !== null),
    body: names((secret) => verifyBodySignature(headers.get('x-service-signature'), body, secret)),
  };
}
