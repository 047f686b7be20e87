import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { deliveryDecider } from '../../../src/domain/delivery/decider.ts';
import type { DeliveryCommand, DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { MAX_PAUSE_MS, nextAttemptAtMs, RETRY_DELAYS_MS } from '../../../src/domain/delivery/schedule.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryFacts, replayId, resendRequestId, testFacts } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const AT = '2026-11-21T03:00:00.000Z';

const scheduled: DeliveryEvent = { type: 'DeliveryScheduled', data: deliveryFacts() };
const attempted = (attempt: number) => ({ attempt, keyRevision: 0, endpointId: null, responseTimeMs: 12, at: AT });

function failing(attempt: number, change: object = {}): Extract<DeliveryCommand, { type: 'RecordFailure' }> {
  const answer = { responseCode: 500, error: 'answered 500', retryAfterMs: null, failedAtMs: NOW_MS };
  return { type: 'RecordFailure', ...attempted(attempt), ...answer, ...change };
}

function failed(attempt: number, nextMs: number | null, change: object = {}): DeliveryEvent {
  const answer = { responseCode: 500, error: 'answered 500', nextAttemptAtMs: nextMs };
  return { type: 'AttemptFailed', data: { ...attempted(attempt), ...answer, ...change } };
}

const succeeding = (attempt: number): DeliveryCommand => ({
  type: 'RecordSuccess',
  ...attempted(attempt),
  responseCode: 204,
});
const succeeded = (attempt: number): DeliveryEvent => ({
  type: 'DeliverySucceeded',
  data: { ...attempted(attempt), responseCode: 204 },
});
const used: DeliveryEvent = { type: 'DeliveryExhausted', data: { reason: 'retries_used', at: AT } };
/** The first `count` attempts, all failed. */
const failures = (count: number) => Array.from({ length: count }, (_, at) => failed(at + 1, NOW_MS));

describe('a delivery', () => {
  test('is scheduled once, whatever a second fan-out decides', () => {
    given(deliveryDecider, []).when({ type: 'ScheduleDelivery', facts: deliveryFacts() }).then([scheduled]);
    given(deliveryDecider, [scheduled])
      .when({ type: 'ScheduleDelivery', facts: deliveryFacts({ activityRevision: 7 }) })
      .thenNothing();
  });

  test('that was omitted stays omitted, and a scheduled one is not omitted afterwards', () => {
    const omitted: DeliveryEvent = { type: 'DeliveryOmitted', data: deliveryFacts() };
    given(deliveryDecider, []).when({ type: 'OmitDelivery', facts: deliveryFacts() }).then([omitted]);
    given(deliveryDecider, [omitted]).when({ type: 'ScheduleDelivery', facts: deliveryFacts() }).thenNothing();
    given(deliveryDecider, [scheduled]).when({ type: 'OmitDelivery', facts: deliveryFacts() }).thenNothing();
    given(deliveryDecider, [omitted]).when(succeeding(1)).thenRejected({ code: 'DELIVERY_NOT_FOUND' });
  });

  test('of a replay is scheduled once, and then like any other', () => {
    const command: DeliveryCommand = { type: 'ScheduleReplay', facts: deliveryFacts(), replay: replayId('rpl_1') };
    const replayed: DeliveryEvent = {
      type: 'ReplayScheduled',
      data: { ...deliveryFacts(), replay: replayId('rpl_1') },
    };
    given(deliveryDecider, []).when(command).then([replayed]);
    given(deliveryDecider, [replayed]).when(command).thenNothing();
    given(deliveryDecider, [replayed])
      .when(succeeding(1))
      .then([succeeded(1)]);
  });

  test('that was never scheduled rejects outcomes', () => {
    given(deliveryDecider, []).when(succeeding(1)).thenRejected({ code: 'DELIVERY_NOT_FOUND' });
  });

  test('succeeds with an answer of 2xx', () => {
    given(deliveryDecider, [scheduled])
      .when(succeeding(1))
      .then([succeeded(1)]);
    given(deliveryDecider, [scheduled, ...failures(3)])
      .when(succeeding(4))
      .then([succeeded(4)]);
  });

  test.each([
    [1, 5 * SECOND_MS],
    [2, 30 * SECOND_MS],
    [3, 2 * MINUTE_MS],
    [4, 10 * MINUTE_MS],
    [5, 60 * MINUTE_MS],
  ])('whose attempt %d failed is tried again %d ms later', (attempt, delayMs) => {
    given(deliveryDecider, [scheduled, ...failures(attempt - 1)])
      .when(failing(attempt))
      .then([failed(attempt, NOW_MS + delayMs)]);
  });

  test('whose fifth retry failed is exhausted', () => {
    given(deliveryDecider, [scheduled, ...failures(5)])
      .when(failing(6))
      .then([failed(6, null), used]);
  });

  test('records attempts in order: late, repeated or early reports change nothing', () => {
    for (const attempt of [1, 2, 4]) {
      given(deliveryDecider, [scheduled, ...failures(2)])
        .when(failing(attempt))
        .thenNothing();
      given(deliveryDecider, [scheduled, ...failures(2)])
        .when(succeeding(attempt))
        .thenNothing();
    }
  });

  test('keeps its final status', () => {
    for (const end of [[succeeded(1)], [...failures(5), failed(6, null), used]]) {
      for (const command of [succeeding(7), failing(2), failing(7)])
        given(deliveryDecider, [scheduled, ...end])
          .when(command)
          .thenNothing();
    }
  });

  test.each(['no_webhook_url', 'key_inactive'] as const)('is abandoned with the reason %s', (reason) => {
    given(deliveryDecider, [scheduled, ...failures(2)])
      .when({ type: 'StopAttempts', reason, at: AT })
      .then([{ type: 'DeliveryExhausted', data: { reason, at: AT } }]);
  });
});

describe('resending a delivery that', () => {
  const asked = (type: 'Resend' | 'Recover', request = 'req_1'): DeliveryCommand => ({
    type,
    request: resendRequestId(request),
    at: AT,
  });
  const resent = (attempt: number, request = 'req_1'): DeliveryEvent => {
    const { keyId, endpoint } = deliveryFacts();
    return {
      type: 'ResendRequested',
      data: { attempt, keyId, endpoint, request: resendRequestId(request), at: AT },
    };
  };
  const exhausted = [scheduled, ...failures(5), failed(6, null), used];

  test.each(['Resend', 'Recover'] as const)('has failed: %s starts another round', (type) => {
    given(deliveryDecider, exhausted)
      .when(asked(type))
      .then([resent(7)]);
  });

  test('has succeeded: only Resend starts another round', () => {
    given(deliveryDecider, [scheduled, succeeded(1)])
      .when(asked('Resend'))
      .then([resent(2)]);
    given(deliveryDecider, [scheduled, succeeded(1)])
      .when(asked('Recover'))
      .thenNothing();
  });

  test('is being retried: only Resend makes the next attempt due at once', () => {
    given(deliveryDecider, [scheduled, ...failures(2)])
      .when(asked('Resend'))
      .then([resent(3)]);
    given(deliveryDecider, [scheduled, ...failures(2)])
      .when(asked('Recover'))
      .thenNothing();
  });

  test('has an attempt due at once: adds no event', () => {
    for (const events of [[scheduled], [...exhausted, resent(7)]])
      given(deliveryDecider, events).when(asked('Resend', 'req_2')).thenNothing();
  });

  test('was resent for the same request: adds no event, also after other requests', () => {
    const events = [...exhausted, resent(7), succeeded(7), resent(8, 'req_2'), succeeded(8)];
    for (const request of ['req_1', 'req_2'])
      given(deliveryDecider, events).when(asked('Resend', request)).thenNothing();
    given(deliveryDecider, events)
      .when(asked('Resend', 'req_3'))
      .then([resent(9, 'req_3')]);
  });

  test('has used up its retries: gets all retries again, with the same delays', () => {
    for (const [at, delayMs] of RETRY_DELAYS_MS.entries()) {
      const before = Array.from({ length: at }, (_, earlier) => failed(7 + earlier, NOW_MS));
      given(deliveryDecider, [...exhausted, resent(7), ...before])
        .when(failing(7 + at))
        .then([failed(7 + at, NOW_MS + delayMs)]);
    }
    const five = Array.from({ length: 5 }, (_, earlier) => failed(7 + earlier, NOW_MS));
    given(deliveryDecider, [...exhausted, resent(7), ...five])
      .when(failing(12))
      .then([failed(12, null), used]);
  });

  test('was never scheduled: is refused', () => {
    given(deliveryDecider, []).when(asked('Resend')).thenRejected({ code: 'DELIVERY_NOT_FOUND' });
  });
});

describe('Retry-After', () => {
  const next = (responseCode: number | null, retryAfterMs: number | null, attempt = 1) =>
    nextAttemptAtMs({ attempt, responseCode, retryAfterMs, failedAtMs: NOW_MS });

  test.each([429, 503])('of a %d lengthens the delay', (code) => {
    expect(next(code, NOW_MS + 42 * SECOND_MS)).toBe(NOW_MS + 42 * SECOND_MS);
  });

  test.each([200, 400, 500, 502, null])('of a %p is ignored', (code) => {
    expect(next(code, NOW_MS + 42 * SECOND_MS)).toBe(NOW_MS + 5 * SECOND_MS);
  });

  test('never shortens the delay, not even with a time in the past', () => {
    for (const askedMs of [NOW_MS - MINUTE_MS, NOW_MS, NOW_MS + 4_999]) {
      expect(next(503, askedMs)).toBe(NOW_MS + 5 * SECOND_MS);
    }
  });

  test('is limited to one day', () => {
    expect(next(503, NOW_MS + MAX_PAUSE_MS)).toBe(NOW_MS + MAX_PAUSE_MS);
    expect(next(503, NOW_MS + MAX_PAUSE_MS + 1)).toBe(NOW_MS + MAX_PAUSE_MS);
  });

  test('adds no attempt after the last one', () => {
    expect(next(503, NOW_MS + MINUTE_MS, 6)).toBeNull();
  });

  test('with any value, the delay is between the scheduled one and a day', () => {
    const anyAnswer = [fc.integer({ min: 1, max: 5 }), fc.constantFrom(200, 429, 503, null), fc.integer()] as const;
    fc.assert(
      fc.property(...anyAnswer, (attempt, responseCode, askedMs) => {
        const pauseMs = (next(responseCode, NOW_MS + askedMs, attempt) ?? 0) - NOW_MS;
        expect(pauseMs).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[attempt - 1] ?? 0);
        expect(pauseMs).toBeLessThanOrEqual(MAX_PAUSE_MS);
      }),
    );
  });
});

test('a delivery whose first event has expired does not exist', () => {
  const rest: readonly DeliveryEvent[] = [
    failed(2, null),
    { type: 'DeliveryExhausted', data: { reason: 'retries_used', at: AT } },
  ];
  given(deliveryDecider, rest)
    .when({ type: 'Resend', request: resendRequestId('again'), at: AT })
    .thenRejected({ code: 'DELIVERY_NOT_FOUND' });
});

test('a test is recorded once, and nothing sends it again', () => {
  const tested: DeliveryEvent = { type: 'TestAttempted', data: testFacts() };
  given(deliveryDecider, []).when({ type: 'RecordTest', facts: testFacts() }).then([tested]);
  given(deliveryDecider, [tested]).when({ type: 'RecordTest', facts: testFacts() }).thenNothing();
  for (const type of ['Resend', 'Recover'] as const) {
    given(deliveryDecider, [tested])
      .when({ type, request: resendRequestId('again'), at: AT })
      .thenRejected({ code: 'DELIVERY_NOT_FOUND' });
  }
});
