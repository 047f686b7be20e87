import { describe, expect, test } from 'bun:test';
import { type AttemptCommand, attemptKey, webhookDeliverer } from '../../../src/domain/delivery/deliverer.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { deliveryFacts, deliveryId, keyId, resendRequestId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const AT = '2026-11-21T03:00:00.000Z';

/** The log of one test: deliveries `1`, `2`, … of keys `key_1`, `key_2`, …, or to the URL of a booking. */
function happenings() {
  const record = recorder();
  const told = (delivery: number, event: DeliveryEvent) =>
    record<DeliveryEvent>(`delivery-dlv_${delivery}`, event, { correlationId: `req_${delivery}` });
  const attempted = (number: number) => ({
    attempt: number,
    keyRevision: 0,
    endpointId: null,
    responseTimeMs: 12,
    at: AT,
  });
  return {
    scheduled: (delivery: number, key = 1) =>
      told(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ keyId: keyId(`key_${key}`) }) }),
    toBooking: (delivery: number, origin: string) =>
      told(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ endpoint: { kind: 'booking', origin } }) }),
    failed: (delivery: number, number: number, nextAttemptAtMs: number | null) =>
      told(delivery, {
        type: 'AttemptFailed',
        data: { ...attempted(number), responseCode: 500, error: 'answered 500', nextAttemptAtMs },
      }),
    succeeded: (delivery: number, number: number) =>
      told(delivery, { type: 'DeliverySucceeded', data: { ...attempted(number), responseCode: 200 } }),
    resent: (delivery: number, number: number, key = 1) =>
      told(delivery, {
        type: 'ResendRequested',
        data: {
          attempt: number,
          keyId: keyId(`key_${key}`),
          endpoint: { kind: 'key' },
          request: resendRequestId('req_1'),
          at: AT,
        },
      }),
    exhausted: (delivery: number) =>
      told(delivery, { type: 'DeliveryExhausted', data: { reason: 'retries_used', at: AT } }),
  };
}

function attempt(delivery: number, number: number, after: Recorded, lane = 'key_1'): AttemptCommand {
  const correlationId = `req_${delivery}`;
  return { delivery: deliveryId(`dlv_${delivery}`), attempt: number, lane, correlationId, causationId: after.id };
}

describe('an attempt is owed', () => {
  test('from the moment the delivery is scheduled, and not an instant earlier', () => {
    const { scheduled } = happenings();
    const first = scheduled(1);
    givenEvents(webhookDeliverer, first)
      .thenDue(NOW_MS - 1, [])
      .thenDue(NOW_MS, [attempt(1, 1, first)]);
  });

  test('again when the pause after a failure is over', () => {
    const { scheduled, failed } = happenings();
    const events = [scheduled(1), failed(1, 1, NOW_MS + 5_000)] as const;
    givenEvents(webhookDeliverer, ...events)
      .thenDue(NOW_MS + 4_999, [])
      .thenDue(NOW_MS + 5_000, [attempt(1, 2, events[1])]);
  });

  test('at once where it is asked for, whether or not the delivery had ended', () => {
    const { scheduled, failed, exhausted, resent } = happenings();
    const again = [scheduled(1), failed(1, 1, null), exhausted(1), resent(1, 2)] as const;
    givenEvents(webhookDeliverer, ...again)
      .thenDue(NOW_MS - 1, [])
      .thenDue(NOW_MS, [attempt(1, 2, again[3])]);
    const sooner = [scheduled(2), failed(2, 1, NOW_MS + 5_000), resent(2, 2)] as const;
    givenEvents(webhookDeliverer, ...sooner).thenDue(NOW_MS, [attempt(2, 2, sooner[2])]);
  });

  test('where it is asked for, although all that was before lies behind the checkpoint', () => {
    const { resent, failed } = happenings();
    const first = resent(1, 7);
    givenEvents(webhookDeliverer, first).thenDue(NOW_MS, [attempt(1, 7, first)]);
    const second = failed(1, 7, NOW_MS + 5_000);
    givenEvents(webhookDeliverer, first, second).thenDue(NOW_MS + 5_000, [attempt(1, 8, second)]);
  });

  test('no more after a success, nor after the last failure', () => {
    const { scheduled, failed, succeeded, exhausted } = happenings();
    givenEvents(
      webhookDeliverer,
      scheduled(1),
      scheduled(2),
      failed(2, 1, NOW_MS),
      succeeded(1, 1),
      failed(2, 2, null),
      exhausted(2),
    )
      .thenDue(NOW_MS + 1e9, [])
      .thenOldestOpen(null);
  });

  test('in the order of time, whoever it is for, and never more than wanted', () => {
    const { scheduled, toBooking, failed } = happenings();
    const [one, two, three] = [scheduled(1, 1), scheduled(2, 2), toBooking(3, 'https://a.example')];
    const [late, later] = [failed(2, 1, NOW_MS + 3), failed(1, 1, NOW_MS + 7)];
    const all = [
      attempt(3, 1, three, 'https://a.example'),
      attempt(2, 2, late, 'key_2'),
      attempt(1, 2, later, 'key_1'),
    ];
    givenEvents(webhookDeliverer, one, two, three, late, later)
      .thenDue(NOW_MS + 10, all)
      .thenDue(NOW_MS + 10, all.slice(0, 2), 2);
  });
});

describe('a receiver', () => {
  const { scheduled, toBooking } = happenings();
  const events = [
    scheduled(1, 1),
    scheduled(2, 1),
    scheduled(3, 1),
    scheduled(4, 2),
    toBooking(5, 'https://a.example'),
  ];
  const state = events.reduce((rest, event) => webhookDeliverer.react(rest, event), webhookDeliverer.initial);
  const due = (free: (lane: string) => number, busy: (key: string) => boolean = () => false) =>
    webhookDeliverer.due(state, NOW_MS, { limit: 100, busy, free }).map(({ delivery }) => delivery as string);

  test('that is busy keeps no other waiting', () => {
    expect(due((lane) => (lane === 'key_1' ? 0 : 8)).sort()).toEqual(['dlv_4', 'dlv_5']);
  });

  test('gets so many at once as its lane is wide', () => {
    expect(due((lane) => (lane === 'key_1' ? 2 : 0))).toHaveLength(2);
  });

  test('gets no attempt twice at once', () => {
    const underWay = attemptKey({ delivery: deliveryId('dlv_1'), attempt: 1 });
    expect(
      due(
        (lane) => (lane === 'key_1' ? 3 : 0),
        (key) => key === underWay,
      ).sort(),
    ).toEqual(['dlv_2', 'dlv_3']);
  });

  test('is the key, or the origin of the URL that a booking brought along', () => {
    const lanes = webhookDeliverer.due(state, NOW_MS, { limit: 100, busy: () => false, free: () => 8 });
    expect([...new Set(lanes.map(({ lane }) => lane))].sort()).toEqual(['https://a.example', 'key_1', 'key_2']);
  });
});

describe('the log', () => {
  test('is needed from the oldest delivery that has not ended', () => {
    const { scheduled, succeeded } = happenings();
    const events = [scheduled(1), scheduled(2, 2), scheduled(3), succeeded(1, 1)];
    givenEvents(webhookDeliverer, ...events).thenOldestOpen(positionAt(2));
    givenEvents(webhookDeliverer, ...events, succeeded(2, 1)).thenOldestOpen(positionAt(3));
  });

  test('read from a checkpoint may begin in the middle of a delivery that has ended', () => {
    const { scheduled, failed, succeeded } = happenings();
    scheduled(1);
    givenEvents(webhookDeliverer, failed(1, 1, NOW_MS), succeeded(1, 2))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });
});
