import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ActivityId, LocalDate } from '../../../src/domain/activity/activity.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import type { LogLine } from '../../support/log.ts';
import { connectTo } from '../../support/mcp.ts';
import { NOW, openService, type Service, TOMORROW, withKey } from '../../support/service.ts';
import { type SlowStore, slowStore } from '../../support/slow-store.ts';

const RESPONSE_MS = 10_000;
const MAILBOX = 2_000;
const ALLOTMENT = allotmentIdOf('river-walk' as ActivityId, TOMORROW as LocalDate);
const BOOKING = {
  requestId: 'req_1',
  endpoint: 'execute_booking',
  method: 'POST',
  path: '/api/b2a/execute_booking',
  keyId: expect.any(String),
};
const NAMED = { 'x-request-id': 'req_1' };

let service: Service;
let store: SlowStore;
let before: number;

beforeEach(async () => {
  service = await openService();
  store = slowStore(service.node.stores.store);
  before = service.logged.length;
});
afterEach(async () => {
  store.release();
  await service.stop();
});

/** The log lines of this test above the level info. */
function logged(): readonly LogLine[] {
  return service.logged.slice(before).filter(({ level }) => level !== 'info');
}

/** The one line of a request that was answered 503. */
function line(facts: Readonly<Record<string, unknown>>): LogLine[] {
  return [{ level: 'warn', happening: 'request answered 503', facts }];
}

/** Every append to the allotment meets a conflict; a round takes 2 s. */
function alwaysConflicting(): void {
  appendsToAllotment(async () => {
    service.clock.advance(2_000);
    return { kind: 'wrong-revision', actual: -1 };
  });
}

/** Process managers append to other streams meanwhile. */
function appendsToAllotment(answer: () => ReturnType<EventStore['append']>): void {
  const { append } = service.node.stores.store;
  service.node.stores.store.append = (stream, ...rest) =>
    stream === `allotment-${ALLOTMENT}` ? answer() : append(stream, ...rest);
}

/** Resolves when the node refuses commands. */
async function refusing(): Promise<void> {
  const { streams } = service.node.context;
  while ((await streams.holds.read('hold-of-nobody', NOW + RESPONSE_MS)).kind !== 'unavailable')
    await new Promise(setImmediate);
}

describe('the log line of a request that is answered 503', () => {
  test('names the append that timed out, its deadline, its attempts and its fault', async () => {
    const call = `append to allotment-${ALLOTMENT}`;
    const failed = { call, deadline: { name: 'event store', ms: 10_000 }, tookMs: 9_987, attempts: 4 };
    const fault = new StoreUnavailable('event store', 'no answer', {
      failed,
      cause: new Error('the stream has ended'),
    });
    appendsToAllotment(async () => {
      service.clock.advance(9_987);
      throw fault;
    });
    const answer = await service.book({}, NAMED);
    expect(answer.status).toBe(503);
    expect(answer.refusal).toEqual({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      error: 'The service cannot answer this now; send the same request again after a moment.',
      details: 'reason: fault. With the same Idempotency-Key a repeated request never books or charges twice.',
      retryable: true,
      resolution: 'retry_later',
    });
    expect(logged()).toEqual(
      line({
        ...BOOKING,
        reason: 'fault',
        call,
        deadline: 'event store',
        deadlineMs: 10_000,
        tookMs: 9_987,
        attempts: 4,
        fault,
        requestMs: 9_987,
      }),
    );
  });

  test('names the rate limiter if it cannot count the quota', async () => {
    const { id, key } = await service.createKey({ plan: 'free' });
    await service.node.stores.rateLimiter.close();
    before = service.logged.length;
    expect((await service.get('/api/b2a/bookings', { ...withKey(key), ...NAMED })).status).toBe(503);
    expect(logged()).toEqual(
      line({
        requestId: 'req_1',
        endpoint: 'list_bookings',
        method: 'GET',
        path: '/api/b2a/bookings',
        keyId: id,
        reason: 'usage counters unreachable',
        call: `quota of ${id}`,
        fault: new Error('the rate limiter is closed'),
        requestMs: 0,
      }),
    );
  });

  test('names the full mailbox', async () => {
    store.hold('AllotmentOpened', 'SlotsClaimed');
    const held = service.book();
    await store.waiting('AllotmentOpened');
    const { allotments } = service.node.context.streams;
    const reads = Array.from({ length: MAILBOX }, () => allotments.read(ALLOTMENT, NOW + RESPONSE_MS));
    expect((await service.book({}, NAMED)).status).toBe(503);
    const call = `ask of allotment-${ALLOTMENT}, whose mailbox is full with ${MAILBOX} messages`;
    expect(logged()).toEqual(line({ ...BOOKING, reason: 'mailbox-full', call, requestMs: 0 }));
    store.release();
    await Promise.all([held, ...reads]);
  });

  test('has the number of conflicts before the command was abandoned', async () => {
    alwaysConflicting();
    expect((await service.book({}, NAMED)).status).toBe(503);
    const call = `append to allotment-${ALLOTMENT}, which conflicted with other writers`;
    expect(logged()).toEqual(line({ ...BOOKING, reason: 'contended', call, attempts: 5, requestMs: RESPONSE_MS }));
  });

  test('says whether the deadline passed while the actor worked on the command or in its mailbox', async () => {
    store.hold('AllotmentOpened', 'SlotsClaimed');
    const first = service.book({}, { 'x-request-id': 'req_turn' });
    await store.waiting('AllotmentOpened');
    const second = service.book({}, { 'x-request-id': 'req_mailbox' });
    await new Promise(setImmediate);
    service.clock.advance(RESPONSE_MS);
    expect([(await first).status, (await second).status]).toEqual([503, 503]);
    const late = (requestId: string, where: string) => ({
      ...BOOKING,
      requestId,
      reason: 'deadline',
      call: `ask of allotment-${ALLOTMENT}, which ${where}`,
      deadline: 'ask',
      deadlineMs: RESPONSE_MS,
      tookMs: RESPONSE_MS,
      requestMs: RESPONSE_MS,
    });
    expect(logged()).toEqual([
      ...line(late('req_turn', 'appends to its stream')),
      ...line(late('req_mailbox', 'appends to its stream for earlier messages')),
    ]);
  });

  test('names the step that was not started', async () => {
    const { store: events } = service.node.stores;
    const append = events.append.bind(events);
    events.append = async (...args) => {
      const appended = await append(...args);
      service.clock.advance(RESPONSE_MS);
      return appended;
    };
    expect((await service.book({}, NAMED)).status).toBe(503);
    expect(logged()).toEqual(
      line({
        ...BOOKING,
        reason: 'deadline',
        call: expect.stringMatching(/^RecordGuest to guest-/),
        deadline: 'booking workflow',
        deadlineMs: RESPONSE_MS,
        tookMs: RESPONSE_MS,
        attempts: 2,
        requestMs: RESPONSE_MS,
      }),
    );
  });

  test('says that the service stops', async () => {
    store.hold('AllotmentOpened', 'SlotsClaimed');
    const held = service.book();
    await store.waiting('AllotmentOpened');
    const stopped = service.node.stop();
    await refusing();
    expect((await service.book({}, NAMED)).status).toBe(503);
    const call = `ask of allotment-${ALLOTMENT}`;
    expect(logged()).toEqual(line({ ...BOOKING, reason: 'stopping', call, requestMs: 0 }));
    store.release();
    await Promise.all([held, stopped]);
  });

  test('names the readiness checks that fail, once for all probes', async () => {
    service.node.refuseNew();
    const probes = await Promise.all([1, 2, 3].map(() => service.get('/readyz', NAMED)));
    expect(probes.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(logged()).toEqual([
      { level: 'warn', happening: 'not ready', facts: { failed: { accepting_requests: false } } },
    ]);
  });

  test('contains no voucher code, on any route', async () => {
    const { data } = await service.book();
    const code = data.voucher?.code ?? '';
    store.hold('SlotsClaimed');
    const held = service.book();
    await store.waiting('SlotsClaimed');
    const stopped = service.node.stop();
    await refusing();
    expect((await service.send(`/api/vouchers/${code}`, { headers: NAMED })).status).toBe(503);
    expect(logged()).toEqual(
      line({
        requestId: 'req_1',
        endpoint: 'voucher_page',
        method: 'GET',
        path: '/api/vouchers/:code',
        reason: 'stopping',
        call: `ask of booking-${data.booking_id}`,
        requestMs: 0,
      }),
    );
    expect(JSON.stringify(logged())).not.toContain(code);
    store.release();
    await Promise.all([held, stopped]);
  });

  test('is written once for an MCP tool call, for its request', async () => {
    alwaysConflicting();
    await using tools = await connectTo(service, service.key);
    const { failed } = await tools.call('book', {
      activity_id: 'river-walk',
      user_email: 'ada@example.com',
      user_name: 'Ada Lovelace',
      booking_date: TOMORROW,
      num_adults: 2,
    });
    expect(failed).toBe(true);
    expect(logged()).toMatchObject(line({ endpoint: 'execute_booking', reason: 'contended', attempts: 5 }));
  });
});
