import { describe, expect, test } from 'bun:test';
import { createOperator } from '../../support/operators.ts';
import { openService, type Service, withToken } from '../../support/service.ts';
import { type AnswerOf, type Operator, refused } from '../../support/service-answers.ts';

type Operators = AnswerOf<'get /api/operators'>;

const TOKEN = /^wmo_[0-9a-f]{64}$/;

const listed = async (service: Service): Promise<Operators['items']> => {
  await service.documents('operators');
  return (await service.get<Operators>('/api/operators', service.admin)).data.items;
};

const codeOf = async (service: Service, path: string, headers: Record<string, string>): Promise<string> => {
  const answer = await service.get(path, headers);
  return answer.status === 200 ? '200' : `${answer.status} ${answer.refusal.code}`;
};

describe('an operator', () => {
  test('is created with a token that works from the answer on and is shown in no other answer', async () => {
    await using service = await openService();
    const made = await service.post<Operator>('/api/operators', { name: 'Mai', role: 'SUPPORT' }, service.admin);
    const { token, ...rest } = made.data;
    expect(token).toMatch(TOKEN);
    expect(rest).toEqual({
      id: expect.stringMatching(/^op_[0-9a-z]{16}$/),
      name: 'Mai',
      role: 'support',
      active: true,
      created_at: '2026-11-21T03:00:00.000Z',
      interpreted: { role: { given: 'SUPPORT', taken: 'support' } },
    } as typeof rest);
    expect(await codeOf(service, '/api/bookings', withToken(token))).toBe('200');
    expect(JSON.stringify(await listed(service))).not.toContain(token.slice(4));
    const stored = JSON.stringify([await service.events(), await service.documents('operators')]);
    expect(stored).not.toContain(token.slice(4));
  });

  test('may have the name of another one, which has another id', async () => {
    await using service = await openService();
    const [first, second] = [
      await createOperator(service, 'viewer', 'Mai'),
      await createOperator(service, 'viewer', 'Mai'),
    ];
    expect(first.id).not.toBe(second.id);
    expect((await listed(service)).map(({ name }) => name)).toEqual(['Mai', 'Mai']);
  });

  test('gets another role and name; what is left out stays', async () => {
    await using service = await openService();
    const { id, headers } = await createOperator(service, 'support');
    expect(await codeOf(service, '/api/keys', headers)).toBe('403 FORBIDDEN');
    const changed = await service.patch<Operator>(`/api/operators/${id}`, { role: 'admin' }, service.admin);
    expect(changed.data).toMatchObject({ id, name: 'A support', role: 'admin', active: true });
    expect(await codeOf(service, '/api/keys', headers)).toBe('200');
    await service.patch(`/api/operators/${id}`, { name: 'Mai', role: 'analyst' }, headers);
    expect(await codeOf(service, '/api/keys', headers)).toBe('403 FORBIDDEN');
    expect(await listed(service)).toMatchObject([{ name: 'Mai', role: 'analyst' }]);
  });

  test('gets a new token, and the earlier one ends at once', async () => {
    await using service = await openService();
    const { id, headers } = await createOperator(service, 'viewer');
    const rotated = await service.post<Operator>(`/api/operators/${id}/rotate`, {}, service.admin);
    expect(rotated.data.token).toMatch(TOKEN);
    expect(await codeOf(service, '/api/bookings', headers)).toBe('401 INVALID_TOKEN');
    expect(await codeOf(service, '/api/bookings', withToken(rotated.data.token))).toBe('200');
    await service.restart();
    expect(await codeOf(service, '/api/bookings', headers)).toBe('401 INVALID_TOKEN');
    expect(await codeOf(service, '/api/bookings', withToken(rotated.data.token))).toBe('200');
  });

  test('is revoked for good, also after a restart, and stays in the list', async () => {
    await using service = await openService();
    const { id, headers } = await createOperator(service, 'support');
    const revoke = () => service.post<Operator>(`/api/operators/${id}/revoke`, {}, service.admin);
    expect((await revoke()).data).toMatchObject({ id, active: false });
    const expected = refused(
      401,
      'INVALID_TOKEN',
      `The token of the operator ${id} was revoked; ask an admin for another one.`,
    );
    expect((await service.get('/api/bookings', headers)).refusal).toEqual(expected);
    await service.restart();
    expect((await service.get('/api/bookings', headers)).refusal).toEqual(expected);
    expect((await revoke()).data).toMatchObject({ id, active: false });
    const expectedOfChange = refused(
      400,
      'INVALID_REQUEST',
      `The operator "${id}" was revoked at 2026-11-21T03:00:00.000Z, for good; create another operator.`,
    );
    const changed = await service.patch(`/api/operators/${id}`, { role: 'admin' }, service.admin);
    const rotated = await service.post(`/api/operators/${id}/rotate`, {}, service.admin);
    expect([changed.refusal, rotated.refusal]).toEqual([expectedOfChange, expectedOfChange]);
    expect(await listed(service)).toMatchObject([{ id, active: false }]);
  });

  test('that is unknown, or a token of the settings, is NOT_FOUND', async () => {
    await using service = await openService();
    const refusalOf = async (id: string) =>
      (await service.post(`/api/operators/${id}/revoke`, {}, service.admin)).refusal;
    for (const id of ['op_0', 'x'])
      expect(await refusalOf(id)).toEqual(
        refused(404, 'NOT_FOUND', `There is no operator with the id "${id}"; GET /api/operators lists them.`),
      );
    expect((await refusalOf('admin')).error).toContain('change it in the settings');
  });

  test('may be an admin that revokes itself: the token of the settings remains', async () => {
    await using service = await openService();
    const { id, headers } = await createOperator(service, 'admin');
    expect((await service.post(`/api/operators/${id}/revoke`, {}, headers)).status).toBe(200);
    expect(await codeOf(service, '/api/operators', headers)).toBe('401 INVALID_TOKEN');
    expect(await listed(service)).toMatchObject([{ id, active: false }]);
  });

  test('is named by the events that it causes, and in the history as the operator', async () => {
    await using service = await openService();
    const { id, headers } = await createOperator(service, 'support');
    const { booking_id } = (await service.book()).data;
    await service.post(`/api/bookings/${booking_id}/cancel`, { reason: 'weather' }, headers);
    const events = (await service.events()).filter(({ stream }) => stream === `booking-${booking_id}`);
    const cancelled = events.find(({ type }) => type.startsWith('BookingCancelled'));
    expect(cancelled?.cause.by).toBe(id);
    await service.post(`/api/bookings/${booking_id}/erase`, {}, headers);
    const path = `/api/bookings/${booking_id}?include=history` as const;
    const { history } = (await service.get<AnswerOf<'get /api/bookings/:booking_id'>>(path, headers)).data;
    expect(history?.filter(({ by }) => by === 'operator').map(({ event }) => event)).toEqual([
      'cancelled',
      'refunded',
      'guest_erased',
    ]);
  });
});

test('the list is in pages, newest first', async () => {
  await using service = await openService();
  for (const name of ['first', 'second', 'third']) {
    await createOperator(service, 'viewer', name);
    service.clock.advance(1_000);
  }
  await service.documents('operators');
  const page = async (query: string) => (await service.get<Operators>(`/api/operators?${query}`, service.admin)).data;
  const { items, next_cursor } = await page('limit=2');
  expect(items.map(({ name }) => name)).toEqual(['third', 'second']);
  const rest = await page(`limit=2&cursor=${next_cursor}`);
  expect([rest.items.map(({ name }) => name), rest.next_cursor]).toEqual([['first'], null]);
});

describe('the token of a named operator', () => {
  test('works at an address that sent many wrong tokens; a revoked one counts as wrong', async () => {
    await using service = await openService();
    const [known, revoked] = [await createOperator(service, 'support'), await createOperator(service, 'support')];
    await service.post(`/api/operators/${revoked.id}/revoke`, {}, service.admin);
    service.peer = '198.51.100.1';
    for (let n = 0; n < 60; n++)
      expect(await codeOf(service, '/api/bookings', revoked.headers)).toBe('401 INVALID_TOKEN');
    expect(await codeOf(service, '/api/bookings', revoked.headers)).toBe('429 RATE_LIMITED');
    expect(await codeOf(service, '/api/bookings', service.admin)).toBe('429 RATE_LIMITED');
    expect(await codeOf(service, '/api/bookings', known.headers)).toBe('200');
  });

  test('has its exact form', async () => {
    await using service = await openService();
    const { token } = await createOperator(service, 'admin');
    for (const wrong of [token.slice(4), token.toUpperCase(), `${token}0`, token.slice(0, -1), `wmx_${token.slice(4)}`])
      expect(await codeOf(service, '/api/operators', withToken(wrong))).toBe('401 INVALID_TOKEN');
  });
});
