import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { StoredDocument } from '../../../src/ports/read-model-store.ts';
import { headOf, unaudited } from '../../support/log-of-service.ts';
import { type Credentials, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import type { AnswerOf, Booking } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { testKey } from '../../support/test-mode.ts';

type Own = AnswerOf<'get /api/b2a/bookings'>;
type Operated = AnswerOf<'get /api/bookings'>;

/** Every page of a list. */
async function listed<Item>(service: Service, path: string, headers: Credentials): Promise<readonly Item[]> {
  const items: Item[] = [];
  const position = { 'x-position': await headOf(service) };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const query = `${path}${path.includes('?') ? '&' : '?'}limit=7${after}`;
    const page = (await service.get<{ items: Item[]; next_cursor: string | null }>(query, { ...headers, ...position }))
      .data;
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

type Deed = { readonly what: (typeof DEEDS)[number]; readonly booking: number; readonly value: number };
const DEEDS = [
  'book',
  'book',
  'book',
  'request',
  'modify',
  'modify',
  'cancel',
  'weather',
  'confirm',
  'reject',
  'visit',
  'erase',
  'time',
  'mail-fails',
] as const;
const DEED: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(...DEEDS),
  booking: fc.nat(20),
  value: fc.nat(3),
});
/** So that some of each kind are left. */
const FIRST: readonly Deed[] = (
  [
    ['book', 30],
    ['book', 32],
    ['request', 33],
    ['modify', 0],
    ['book', 31],
    ['cancel', 3],
    ['erase', 1],
  ] as const
).map(([what, booking], value) => ({ what, booking, value: what === 'modify' ? 0 : value % 4 }));
const PATIENCE_MS = 60_000;
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

type Made = { readonly id: string; readonly code: string | null; readonly headers: Credentials };
type Scene = { readonly service: Service; readonly keys: readonly Credentials[]; readonly smtp: SmtpPeer };

async function book({ service, keys }: Scene, { what, booking, value }: Deed): Promise<Made | null> {
  const headers = keys[value % keys.length] ?? {};
  const wish = {
    ...(what === 'request' && { activity_id: 'village-kitchen' }),
    booking_date: [TODAY, TOMORROW, '2026-11-29'][value % 3],
    num_adults: 1 + (booking % 2),
    special_requests: booking % 3 === 0 ? null : `Table ${booking}`,
    ...(booking % 2 === 0 && { reference: `trip-${value}`, metadata: { room: String(booking) } }),
    ...(booking % 5 === 0 && { webhook_url: 'https://agent.example/hook?token=1' }),
  };
  const answer = await service.book(wish, headers);
  if (answer.status !== 200) return null;
  const { booking_id: id, voucher } = answer.data as AnswerOf<'get /api/b2a/bookings/:booking_id'>;
  return { id, code: voucher?.code ?? null, headers };
}

/** Many of these are refused. */
async function change({ service }: Scene, { what, booking, value }: Deed, { id, code, headers }: Made): Promise<void> {
  switch (what) {
    case 'modify': {
      const changes = [
        { num_adults: 3 },
        { user_name: `Guest ${booking}` },
        { booking_date: '2026-11-30' },
        { num_adults: 1, user_email: `guest${booking}@example.com` },
      ];
      await service.post(`/api/b2a/bookings/${id}/modify`, changes[value], headers);
      return;
    }
    case 'cancel':
      await service.post(`/api/b2a/bookings/${id}/cancel`, {}, headers);
      return;
    case 'weather':
      await service.post(`/api/bookings/${id}/cancel`, { reason: 'weather' }, service.admin);
      return;
    case 'visit':
      await service.verify({ code: code ?? '' });
      return;
    default:
      await service.post(`/api/bookings/${id}/${what}`, {}, service.admin);
  }
}

async function act(scene: Scene, deed: Deed, made: Made[]): Promise<void> {
  const { what, booking } = deed;
  if (what === 'time') return scene.service.clock.advance(HOUR_MS);
  if (what === 'mail-fails') return void scene.smtp.recipientReplies.push(450);
  if (what === 'book' || what === 'request') {
    const one = await book(scene, deed);
    if (one !== null) made.push(one);
    return;
  }
  const chosen = made[booking % Math.max(made.length, 1)];
  if (chosen !== undefined) await change(scene, deed, chosen);
}

/** Every item of every list, with what a read of the booking answers. Only the read of one booking says what its venue was mailed. */
async function readAll(service: Service, keys: readonly Credentials[]) {
  const operated = [];
  for (const item of await listed<Operated['items'][number]>(service, '/api/bookings', service.admin)) {
    const path = `/api/bookings/${item.booking_id}`;
    const { venue_request: _, ...read } = (await service.get<{ readonly venue_request?: unknown }>(path, service.admin))
      .data;
    operated.push({ item, read });
  }
  const own = [];
  for (const headers of keys)
    for (const item of await listed<Booking>(service, '/api/b2a/bookings', headers))
      own.push({ item, read: (await service.booking(item.booking_id, headers)).data });
  return { operated, own };
}

/** Reads again if an event, such as that of a mail, was appended meanwhile. */
async function undisturbed<T>(service: Service, read: () => Promise<T>): Promise<T> {
  for (;;) {
    const { length } = await unaudited(service);
    const result = await read();
    if ((await unaudited(service)).length === length) return result;
  }
}

test(
  `an item of a list is what a read of the booking answers, whatever happened to it (seed ${SEED})`,
  async () => {
    const seen = new Set<string>();
    const deeds = fc.array(DEED, { minLength: 40, maxLength: 40 });
    for (const round of fc.sample(deeds, { seed: SEED, numRuns: 3 })) {
      const smtp = await SmtpPeer.listen();
      const service = await openService({ mails: 'sent', settings: { SMTP_URL: smtp.url, MAIL_WAIT_MS: '0' } });
      try {
        const keys = [service.key, withKey((await service.createKey()).key), await testKey(service)];
        const made: Made[] = [];
        for (const deed of [...FIRST, ...round]) await act({ service, keys, smtp }, deed, made);
        const { operated, own } = await undisturbed(service, () => readAll(service, keys));
        expect(operated.map(({ item }) => item.booking_id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
        for (const { item, read } of [...operated, ...own]) expect<object>(item).toEqual(read);
        for (const { item } of operated) {
          seen.add(item.status).add(`erased ${item.guest_erased}`).add(item.mode);
          if (item.num_adults === 3) seen.add('modified');
        }
      } finally {
        await service.stop();
        await smtp.close();
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['confirmed', 'cancelled', 'pending', 'modified', 'erased true', 'live', 'test']),
    );
  },
  PATIENCE_MS,
);

const MANY = 100;

test('a list of 100 bookings reads no stream, and each of two read models once', async () => {
  await using service = await openService();
  const dates = Array.from({ length: 25 }, (_, day) => `2026-12-${String(day + 1).padStart(2, '0')}`);
  for (const booking_date of dates)
    await Promise.all(
      Array.from({ length: 4 }, () => service.book({ activity_id: 'night-market', booking_date, num_adults: 1 })),
    );
  await service.documents('bookings');
  await service.documents('guests');
  // The actors of the bookings, and what they know, end with the node.
  await service.restart();
  const { store, readModels } = service.node.stores;
  using read = spyOn(store, 'read');
  using last = spyOn(store, 'last');
  using find = spyOn(readModels, 'find');
  using load = spyOn(readModels, 'load');
  const queries = ['', `&from=2026-12-01&to=2026-12-25`, '&status=confirmed'];
  for (const query of queries) {
    const { data } = await service.get<Own>(`/api/b2a/bookings?limit=${MANY}${query}`, service.key);
    expect(data.items.map(({ user_name }) => user_name)).toEqual(data.items.map(() => 'Ada Lovelace'));
    expect(data.items.length).toBe(MANY);
  }
  const calls = [read, last, find, load].map(({ mock }) => mock.calls.length);
  expect(calls).toEqual([0, 0, queries.length, queries.length]);
});

test('a guest that the read model lacks is read from its stream', async () => {
  await using service = await openService();
  const { data } = await service.book({ special_requests: 'A quiet table.' });
  await service.documents('bookings');
  const { readModels } = service.node.stores;
  using load = spyOn(readModels, 'load').mockImplementation(async () => new Map());
  const { items } = (await service.get<Own>('/api/b2a/bookings', service.key)).data;
  expect([items, load.mock.calls.length]).toEqual([[data], 1]);
});

test.each([
  ['with another fingerprint than the booking names', (found: StoredDocument) => ({ ...found.doc, fingerprint: 'FP' })],
  ['that was deleted', () => null],
])('a record %s is shown as erased', async (_, docOf) => {
  await using service = await openService();
  const { data } = await service.book({ special_requests: 'A quiet table.' });
  const [guest] = await service.documents('guests');
  await service.documents('bookings');
  if (guest === undefined) throw new Error('the read model has no guest');
  using load = spyOn(service.node.stores.readModels, 'load');
  load.mockImplementation(async () => new Map([[guest.id, { ...guest, doc: docOf(guest) }]]));
  const { items } = (await service.get<Own>('/api/b2a/bookings', service.key)).data;
  const erased = { user_name: '[erased]', user_email: '[erased]', special_requests: null };
  expect(items).toEqual([{ ...data, ...erased }]);
});

test('an erased guest is hidden although the read model of guests still has the record', async () => {
  await using service = await openService();
  const { data } = await service.book({ special_requests: 'A quiet table.' });
  const guests = await service.documents('guests');
  await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
  using load = spyOn(service.node.stores.readModels, 'load');
  load.mockImplementation(async () => new Map(guests.map((guest) => [guest.id, guest])));
  const { items } = (await service.get<Own>('/api/b2a/bookings', service.key)).data;
  expect(items).toEqual([{ ...data, user_name: '[erased]', user_email: '[erased]', special_requests: null }]);
});
