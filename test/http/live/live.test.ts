import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { endpointEvents } from '../../support/deliveries.ts';
import { type Live, type LiveServer, listening } from '../../support/live.ts';
import { projected } from '../../support/log-of-service.ts';
import { createOperator } from '../../support/operators.ts';
import { openReceiver } from '../../support/receiver.ts';
import { type Credentials, openService, type Service, withKey } from '../../support/service.ts';
import { readAnswer, refused } from '../../support/service-answers.ts';
import { signIn, signOut } from '../../support/sessions.ts';

const MINUTE_MS = 60_000;

let service: Service;
let server: LiveServer;
beforeAll(async () => {
  service = await openService();
  server = listening(service);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await service.stop();
});

/** A connection that reports changes. */
async function ready(cookie: Credentials): Promise<Live> {
  const live = await server.connect(cookie);
  expect(await live.next()).toEqual({ event: 'ready', data: {} });
  return live;
}

/** The names in the events up to the one with the last of these names. */
async function changedUntil(live: Live, awaited: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  while (!awaited.every((name) => names.includes(name))) {
    const event = await live.next();
    if (event === null) throw new Error('the stream has ended');
    if (event.event === 'changed')
      names.push(...(event.data as { readonly read_models: readonly string[] }).read_models);
  }
  return names;
}

/** The end of a stream; events before it are left out. */
async function ended(live: Live): Promise<true> {
  while ((await live.next()) !== null);
  return true;
}

describe('the live stream of a session', () => {
  test('names the read models that changed, and no others', async () => {
    const { cookie } = await signIn(service, service.admin);
    await projected(service);
    const ofBooking = await ready(cookie);
    await service.book();
    expect(await changedUntil(ofBooking, ['bookings', 'guests', 'inventory'])).not.toContain('devices');
    ofBooking.close();
    await projected(service);
    const ofDevice = await ready(cookie);
    await service.createDevice('old-pier');
    expect(await changedUntil(ofDevice, ['devices'])).not.toContain('bookings');
    ofDevice.close();
  });

  test('is an event stream that no cache stores and that does not renew the cookie', async () => {
    const { cookie } = await signIn(service, service.admin);
    const live = await server.connect(cookie);
    expect(live.response.status).toBe(200);
    const { headers } = live.response;
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('set-cookie')).toBeNull();
    live.close();
  });

  test('answers HEAD at once, and takes none of the connections of the session', async () => {
    const { cookie } = await signIn(service, service.admin);
    for (let n = 0; n < 5; n++) {
      const { status, headers } = await fetch(`${server.url}/api/live`, { method: 'HEAD', headers: cookie });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    (await ready(cookie)).close();
  });

  test("names to a key's owner only what its pages read", async () => {
    const key = withKey((await service.createKey()).key);
    const { cookie } = await signIn(service, key);
    const live = await ready(cookie);
    await service.createDevice('old-pier');
    await service.book({}, key);
    const own = ['bookings', 'deliveries', 'endpoints', 'feed', 'guests', 'keys', 'statements'];
    const names = await changedUntil(live, ['bookings', 'guests']);
    expect(names.filter((name) => !own.includes(name))).toEqual([]);
    live.close();
  });

  test("names to a key's owner its receivers, once one of them fails", async () => {
    await using receiver = openReceiver();
    receiver.answer(() => new Response('', { status: 503 }));
    const { key } = await service.createKey({ webhook_url: receiver.url });
    const live = await ready((await signIn(service, withKey(key))).cookie);
    await service.book({}, withKey(key));
    await endpointEvents(service, 'EndpointFailing', 1);
    expect(await changedUntil(live, ['endpoints'])).toContain('endpoints');
    live.close();
  });

  test('tells operators, and no owner of a key, of a rebuild', async () => {
    const owner = await ready((await signIn(service, service.key)).cookie);
    const live = await ready((await signIn(service, service.analyst)).cookie);
    await service.rebuild('devices');
    let seen = await live.next();
    while (seen?.event === 'changed') seen = await live.next();
    expect(seen).toEqual({ event: 'rebuild', data: { projections: ['devices'] } });
    live.close();
    await service.book({}, service.key);
    expect(await owner.next()).toMatchObject({ event: 'changed' });
    owner.close();
  });
});

describe('the live stream ends', () => {
  test('when its session signs out', async () => {
    const session = await signIn(service, service.admin);
    const live = await ready(session.cookie);
    await signOut(service, session);
    expect(await ended(live)).toBe(true);
  });

  test('when the token of its operator is revoked', async () => {
    const support = await createOperator(service, 'support');
    const live = await ready((await signIn(service, support.headers)).cookie);
    await service.post(`/api/operators/${support.id}/revoke`, {}, service.admin);
    expect(await ended(live)).toBe(true);
  });

  test('when its key is deactivated, or may no longer be used from its address', async () => {
    const [one, other] = [await service.createKey(), await service.createKey()];
    const lives = [];
    for (const { key } of [one, other]) lives.push(await ready((await signIn(service, withKey(key))).cookie));
    await service.post(`/api/keys/${one.id}/deactivate`, {}, service.admin);
    await service.patch(`/api/keys/${other.id}`, { ip_allowlist: ['203.0.113.0/24'] }, service.admin);
    expect(await Promise.all(lives.map(ended))).toEqual([true, true]);
  });

  test('30 minutes after the last request before it: it keeps no session alive', async () => {
    const { cookie } = await signIn(service, service.admin);
    const live = await ready(cookie);
    service.clock.advance(30 * MINUTE_MS);
    expect(await ended(live)).toBe(true);
    const again = await server.connect(cookie);
    expect((await readAnswer(again.response)).refusal.error).toContain('30 minutes have passed without a request');
  });

  test('when the service stops, and new ones are refused', async () => {
    await using stopping = await openService();
    await using listener = listening(stopping);
    const { cookie } = await signIn(stopping, stopping.admin);
    const live = await listener.connect(cookie);
    stopping.node.refuseNew();
    expect(await ended(live)).toBe(true);
    const { status, refusal } = await readAnswer((await listener.connect(cookie)).response);
    expect([status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});

describe('the live stream is refused', () => {
  test('without a session', async () => {
    const answers = [{}, service.admin, service.key].map(async (headers) =>
      readAnswer((await server.connect(headers)).response),
    );
    for (const answer of await Promise.all(answers)) expect(answer.refusal.code).toBe('MISSING_TOKEN');
  });

  test('to a page of another origin', async () => {
    const { cookie } = await signIn(service, service.admin);
    const answer = await readAnswer((await server.connect({ ...cookie, 'sec-fetch-site': 'cross-site' })).response);
    expect(answer.refusal.code).toBe('FORBIDDEN');
  });

  test('to a session with four of them, until it closes one', async () => {
    const { cookie } = await signIn(service, service.admin);
    const open = await Promise.all(Array.from({ length: 4 }, () => server.connect(cookie)));
    const fifth = await readAnswer((await server.connect(cookie)).response);
    expect(fifth.refusal).toEqual(
      refused(
        429,
        'RATE_LIMITED',
        'The session has 4 live connections; close one, or load the page again to see changes.',
        { resolution: 'retry_later', retryable: true },
      ),
    );
    expect(fifth.headers.get('retry-after')).toBe('30');
    const { cookie: another } = await signIn(service, service.admin);
    (await ready(another)).close();
    for (const live of open) live.close();
    let status = 429;
    // The service learns of the closed sockets a moment later.
    while (status === 429) {
      const live = await server.connect(cookie);
      ({ status } = live.response);
      live.close();
    }
    expect(status).toBe(200);
  });
});
