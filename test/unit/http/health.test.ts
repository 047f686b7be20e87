import { describe, expect, test } from 'bun:test';
import { healthOnly } from '../../../src/http/health/readiness.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';

type Ready = Parameters<typeof healthOnly>[1];

async function asked(path: string, state: Parameters<typeof healthOnly>[0], ready: Ready = () => ({ started: false })) {
  const request = new Request(`http://localhost${path}`, { headers: { 'x-request-id': 'req_1' } });
  const response = healthOnly(state, ready, { ids: seededIds(), log: collectedLog() })(request);
  const { success, code, error, data, details } = (await response.json()) as Record<string, unknown>;
  const answer = { status: response.status, id: response.headers.get('x-request-id'), success, code, error, data };
  return details ? { ...answer, details } : answer;
}

const no = { id: 'req_1', success: false, data: undefined };
const yes = { id: 'req_1', success: true, status: 200, code: undefined, error: undefined };

describe('an answer of 503', () => {
  const request503 = { requestId: 'req_1', endpoint: null, method: 'GET', path: '/api/vouchers', requestMs: 0 };
  const facts = { ...request503, call: 'start of the service', reason: 'the service is starting' };
  test.each([
    ['/api/vouchers/SECRET', [{ level: 'warn' as const, happening: 'request answered 503', facts }]],
    ['/readyz', []],
  ])('at %s has its line in the log, without secrets, unless it is a probe', (path, lines) => {
    const log = collectedLog();
    const request = new Request(`http://localhost${path}`, { headers: { 'x-request-id': 'req_1' } });
    const ready = () => ({ clock: '9 s ahead' });
    expect(healthOnly('starting', ready, { ids: seededIds(), log })(request).status).toBe(503);
    expect(log.lines).toEqual(lines);
  });
});

describe('a node that answers no requests', () => {
  test('lives', async () => {
    expect(await asked('/livez', 'starting')).toEqual({ ...yes, data: { status: 'ok' } });
  });

  test('is not ready while something is missing, which it names', async () => {
    const ready = () => ({ accepting_requests: true, event_store: false, read_models: false });
    expect(await asked('/readyz', 'other roles', ready)).toEqual({
      ...no,
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      error: 'Not ready: event_store, read_models.',
    });
  });

  test('says in `details` why a check fails, where it is known', async () => {
    const ready = () => ({ accepting_requests: true, clock: 'the clock is 9 s ahead', read_models: false });
    expect(await asked('/readyz', 'other roles', ready)).toEqual({
      ...no,
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      error: 'Not ready: clock, read_models.',
      details: 'clock: the clock is 9 s ahead',
    });
  });

  test('is ready when nothing is missing', async () => {
    const checks = { accepting_requests: true, event_store: true };
    expect(await asked('/readyz', 'other roles', () => checks)).toEqual({ ...yes, data: { status: 'ready', checks } });
  });

  test('tells who asks for more to come again, where it is starting', async () => {
    expect(await asked('/api/health', 'starting')).toMatchObject({ ...no, status: 503, code: 'SERVICE_UNAVAILABLE' });
  });

  test('sends who asks for more elsewhere, where it has other roles', async () => {
    expect(await asked('/api/health', 'other roles')).toEqual({
      ...no,
      status: 404,
      code: 'NOT_FOUND',
      error: 'This node does other work of the service; ask one that has the role api.',
    });
  });
});
