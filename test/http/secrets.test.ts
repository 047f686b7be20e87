import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openService, type Service, TODAY, withKey } from '../support/service.ts';
import { type AnswerOf, type Key, readAnswer } from '../support/service-answers.ts';

/** Every file that the service keeps, write-ahead logs included, as bytes. */
function filesOf(service: Service): ReadonlyMap<string, Buffer> {
  const names = readdirSync(service.directory);
  return new Map(names.map((name) => [name, readFileSync(join(service.directory, name))]));
}

/** The files that hold a text in plain, in hexadecimal, or in base64. */
function holding(service: Service, text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [bytes, Buffer.from(bytes.toString('hex')), Buffer.from(bytes.toString('base64').replace(/=*$/, ''))];
  return [...filesOf(service)].filter(([, file]) => forms.some((form) => file.includes(form))).map(([name]) => name);
}

describe('a secret', () => {
  test('is in no file, list, event or line of the log: key, webhook secret, device key', async () => {
    await using service = await openService();
    const { key, webhook_secret, id } = await service.createKey({ name: 'A key that is looked for' });
    const { device_key } = await service.createDevice('old-pier');
    await service.book({}, withKey(key));
    await service.get('/api/b2a/inventory?city=nowhere', withKey(key));
    const path = `/api/keys/${id}`;
    const later = (await service.post<Key>(`${path}/rotate`, {}, service.admin)).data.key;
    const own = '/api/keys/self/webhook_secret/rotate';
    const another = (await service.post<Key>(own, {}, withKey(later))).data.webhook_secret;
    const answers = [
      await service.get('/api/keys/self', withKey(later)),
      await service.get('/api/health', withKey(key)),
      await service.patch('/api/keys/self', { contact_email: 'ops@agent.example' }, withKey(later)),
      await service.post(`${own}/finish`, {}, withKey(later)),
      await service.get(path, service.admin),
      await service.patch(path, { plan: 'basic' }, service.admin),
      await service.post(`${path}/deactivate`, {}, service.admin),
      await service.post(`${path}/activate`, {}, service.admin),
    ];
    service.clock.advance(86_400_000);
    const refusals = [(await service.get('/api/health', withKey(key))).refusal];
    await service.post(`${path}/deactivate`, {}, service.admin);
    refusals.push((await service.get('/api/health', withKey(later))).refusal);
    expect(refusals.map(({ code }) => code)).toEqual(['INVALID_API_KEY', 'KEY_INACTIVE']);
    await service.documents('keys');
    await service.documents('devices');

    const texts = [
      JSON.stringify([...answers.map(({ data }) => data), ...refusals]),
      JSON.stringify(await service.events()),
      JSON.stringify(await service.documents('keys')),
      JSON.stringify((await service.get('/api/keys', service.admin)).data),
      JSON.stringify((await service.get('/api/ops/projections', service.admin)).data),
      JSON.stringify(service.logged),
    ].join('\n');
    expect(texts).toInclude('A key that is looked for');
    for (const { doc } of await service.documents('keys')) expect(doc).not.toHaveProperty('webhookSecret');
    // Nor are digests and sealed secrets anybody's business.
    const answered = texts.slice(0, texts.indexOf('\n'));
    for (const inner of ['hash', 'sealed', 'webhookSecret']) expect(answered).not.toInclude(inner);
    const shown = [key, later, webhook_secret, another, device_key];
    for (const secret of shown.map((text) => text.replace(/^whsec_/, ''))) {
      expect(texts).not.toInclude(secret);
      expect(holding(service, secret)).toEqual([]);
    }
  });

  test('would be found, were it there', async () => {
    await using service = await openService();
    const { id } = await service.createKey({ name: 'A key that is looked for' });
    expect(holding(service, id)).toContain('events.db-wal');
    expect(holding(service, 'A key that is looked for').length).toBeGreaterThan(0);
  });

  test('of the operator, and the one that seals the others, are for the owner’s eyes only', async () => {
    await using service = await openService();
    for (const name of ['admin-token', 'analyst-token', 'secret-key']) {
      expect(readFileSync(join(service.directory, name), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
      expect((statSync(join(service.directory, name)).mode & 0o777).toString(8)).toBe('600');
    }
    expect((statSync(service.directory).mode & 0o777).toString(8)).toBe('700');
    const secretKey = readFileSync(join(service.directory, 'secret-key'), 'utf8');
    expect(holding(service, secretKey)).toEqual(['secret-key']);
    expect(holding(service, Buffer.from(secretKey, 'hex').toString('latin1'))).toEqual([]);
  });
});

describe('personal data', () => {
  const GUEST = {
    user_name: 'Grace Brewster Murray Hopper',
    user_email: 'grace.hopper@navy.example',
    special_requests: 'Carries a nanosecond of wire.',
    reference: 'Eniac-1947-moth',
  };
  const FACTS = Object.values(GUEST);

  test('stands in guest streams and the read model `guests`, and in no other event, read model or line of the log', async () => {
    await using service = await openService();
    const headers = { 'idempotency-key': 'once' };
    const { data } = await service.book({ ...GUEST, booking_date: TODAY }, headers);
    await service.book({ ...GUEST, booking_date: TODAY }, headers);
    await service.book({ ...GUEST, booking_date: TODAY, num_adults: 20 });
    await service.book({ ...GUEST, booking_date: 'soon' });
    await service.verify({ code: data.voucher.code });
    await service.send(`/api/vouchers/${data.voucher.code}`);

    const events = await service.events();
    const guests = events.filter(({ stream }) => stream.startsWith('guest-'));
    expect(guests.map(({ type }) => type)).toEqual(['GuestRecorded.v1', 'CallerDataRecorded.v1']);
    const repeated = JSON.stringify(await service.documents('guests'));
    for (const fact of FACTS)
      expect([JSON.stringify(guests), repeated].every((text) => text.includes(fact))).toBe(true);
    const names = (await service.get<AnswerOf<'get /api/ops/projections'>>('/api/ops/projections', service.admin)).data
      .items;
    const texts = JSON.stringify([
      events.filter((event) => !guests.includes(event)),
      await Promise.all(names.flatMap(({ name }) => (name === 'guests' ? [] : [service.documents(name)]))),
      service.logged,
    ]);
    expect(texts).toInclude(data.booking_id);
    for (const fact of FACTS) expect(texts).not.toInclude(fact);
  });

  test('is not shown to a caller who may not see the booking', async () => {
    await using service = await openService();
    const { data } = await service.book({ ...GUEST, booking_date: TODAY });
    const other = withKey((await service.createKey()).key);
    const answers = [
      await service.booking(data.booking_id, other),
      await service.verify({ code: data.voucher.code }, service.gates.yard),
      await readAnswer(await service.send(`/api/vouchers/${data.booking_id}`)),
    ];
    for (const { refusal } of answers) for (const fact of FACTS) expect(JSON.stringify(refusal)).not.toInclude(fact);
  });
});
