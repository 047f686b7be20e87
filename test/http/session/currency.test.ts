import { describe, expect, test } from 'bun:test';
import type { Currency } from '../../../src/ports/currency.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import { signIn } from '../../support/sessions.ts';

type Known = keyof Service['node']['context']['currency'];

/** What this node knows has no proof until `confirm`. */
function unprove(service: Service, known: Known) {
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<boolean>();
  const currency: Currency = { current: () => false, confirmed: () => confirmed };
  Object.assign(service.node.context.currency, { [known]: currency });
  return confirm;
}

const current = (service: Service, cookie: Readonly<Record<string, string>>) =>
  service.get('/api/sessions/current', cookie);

describe('a session that this node may know too late', () => {
  test.each(['endedSessions', 'operators'] as const)(
    'is refused without a proof that the %s are current',
    async (known) => {
      await using service = await openService();
      const { cookie } = await signIn(service, service.admin);
      unprove(service, known)(false);
      const { status, refusal, headers } = await current(service, cookie);
      expect([status, refusal.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
      expect(service.logged.at(-1)).toMatchObject({
        happening: 'request answered 503',
        facts: { call: 'proof that the sessions are current', endpoint: 'current_session' },
      });
      // The token of the settings itself needs no proof.
      expect((await service.get('/api/keys', service.admin)).status).toBe(200);
    },
  );

  test('waits for the proof, and is looked up again after it: its caller signed out on another node', async () => {
    await using service = await openService();
    const [ended, kept] = [await signIn(service, service.admin), await signIn(service, service.admin)];
    const confirm = unprove(service, 'endedSessions');
    const asked = [current(service, ended.cookie), current(service, kept.cookie)] as const;
    const ids = (await service.events()).filter(({ type }) => type === 'SessionStarted.v1').map(({ stream }) => stream);
    const sessionId = (ids.at(-2) ?? '').replace('session-', '');
    const { streams, clock } = service.node.context;
    const at = new Date(clock.nowMs()).toISOString();
    const cause = { correlationId: 'another-node', causationId: null, by: 'admin', at };
    const command = { type: 'EndSession', sessionId, at } as Parameters<typeof streams.sessions.handle>[1];
    const reply = await streams.sessions.handle(sessionId, command, cause, clock.nowMs() + 10_000);
    if (reply.kind !== 'accepted' || reply.position === null) throw new Error('the session was not ended');
    await service.node.context.passed('endedSessions', reply.position);
    confirm(true);
    expect((await asked[0]).refusal.error).toContain('you signed out');
    expect((await asked[1]).status).toBe(200);
  });

  test('of a key waits for a proof of the keys: the key was deactivated', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey();
    const { cookie } = await signIn(service, withKey(key));
    const confirm = unprove(service, 'keys');
    const asked = current(service, cookie);
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    confirm(true);
    expect((await asked).refusal.code).toBe('KEY_INACTIVE');
  });

  test('does not begin without a proof of its key', async () => {
    await using service = await openService();
    const { key } = await service.createKey();
    unprove(service, 'keys')(false);
    const before = (await service.events()).length;
    expect((await service.post('/api/sessions', { token: key })).refusal.code).toBe('SERVICE_UNAVAILABLE');
    expect((await service.events()).length).toBe(before);
  });
});

test('a session does not begin or end while its event cannot be stored', async () => {
  await using service = await openService();
  const session = await signIn(service, service.admin);
  const { streams } = service.node.context;
  const { sessions } = streams;
  const unavailable = { kind: 'unavailable', reason: 'fault', cause: { call: 'append' } } as const;
  Object.assign(streams, { sessions: { ...sessions, handle: () => Promise.resolve(unavailable) } });
  const token = service.node.secrets.adminToken;
  const refusedSignIn = await service.post('/api/sessions', { token });
  expect([refusedSignIn.refusal.code, refusedSignIn.headers.get('set-cookie')]).toEqual(['SERVICE_UNAVAILABLE', null]);
  const refusedSignOut = await service.delete('/api/sessions/current', session.writing);
  expect(refusedSignOut.refusal.code).toBe('SERVICE_UNAVAILABLE');
  Object.assign(streams, { sessions });
  expect((await current(service, session.cookie)).status).toBe(200);
});
