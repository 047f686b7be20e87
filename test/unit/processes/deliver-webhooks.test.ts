import { describe, expect, spyOn, test } from 'bun:test';
import { PriorityQueue } from '../../../src/collections/priority-queue.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { CAPACITY } from '../../../src/processes/deliver-webhooks/bulkheads.ts';
import { PARTITIONS, partitionOf } from '../../../src/processes/deliver-webhooks/endpoint-queues.ts';
import {
  AGAIN_MS,
  type AttemptCommand,
  attemptKey,
  deliverWebhooks,
} from '../../../src/processes/deliver-webhooks/process-manager.ts';
import { deliveryFacts, deliveryId, keyId, resendRequestId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const AT = '2026-11-21T03:00:00.000Z';

/** The log of one test: deliveries `1`, `2`, … of keys `key_1`, `key_2`, …, or to the URL of a booking. */
function happenings() {
  const record = recorder();
  const recorded = (delivery: number, event: DeliveryEvent) =>
    record<DeliveryEvent>(`delivery-dlv_${delivery}`, event, { correlationId: `req_${delivery}` });
  const attempted = (number: number) => ({
    attempt: number,
    keyRevision: 0,
    endpointId: null,
    responseTimeMs: 12,
    at: AT,
  });
  const failed = (delivery: number, number: number, nextAttemptAtMs: number | null, responseTimeMs = 12) =>
    recorded(delivery, {
      type: 'AttemptFailed',
      data: { ...attempted(number), responseTimeMs, responseCode: 500, error: 'answered 500', nextAttemptAtMs },
    });
  return {
    scheduled: (delivery: number, key = 1) =>
      recorded(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ keyId: keyId(`key_${key}`) }) }),
    toBooking: (delivery: number, origin: string) =>
      recorded(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ endpoint: { kind: 'booking', origin } }) }),
    failed,
    /** No answer within 30 s. */
    silent: (delivery: number, number: number, nextAttemptAtMs: number) =>
      failed(delivery, number, nextAttemptAtMs, 30_000),
    succeeded: (delivery: number, number: number, at = AT) =>
      recorded(delivery, { type: 'DeliverySucceeded', data: { ...attempted(number), responseCode: 200, at } }),
    resent: (delivery: number, number: number, key = 1) =>
      recorded(delivery, {
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
      recorded(delivery, { type: 'DeliveryExhausted', data: { reason: 'retries_used', at: AT } }),
  };
}

function attempt(delivery: number, number: number, after: Recorded, queueKey = 'key_1'): AttemptCommand {
  const correlationId = `req_${delivery}`;
  return { delivery: deliveryId(`dlv_${delivery}`), attempt: number, queueKey, correlationId, causationId: after.id };
}

describe('an attempt is due', () => {
  test('from the time the delivery is scheduled, and not before', () => {
    const { scheduled } = happenings();
    const first = scheduled(1);
    givenEvents(deliverWebhooks, first)
      .thenDue(NOW_MS - 1, [])
      .thenDue(NOW_MS, [attempt(1, 1, first)]);
  });

  test('again when the pause after a failure is over', () => {
    const { scheduled, failed } = happenings();
    const events = [scheduled(1), failed(1, 1, NOW_MS + 5_000)] as const;
    givenEvents(deliverWebhooks, ...events)
      .thenDue(NOW_MS + 4_999, [])
      .thenDue(NOW_MS + 5_000, [attempt(1, 2, events[1])]);
  });

  test('at once after a resend, whether or not the delivery was closed', () => {
    const { scheduled, failed, exhausted, resent } = happenings();
    const again = [scheduled(1), failed(1, 1, null), exhausted(1), resent(1, 2)] as const;
    givenEvents(deliverWebhooks, ...again)
      .thenDue(NOW_MS - 1, [])
      .thenDue(NOW_MS, [attempt(1, 2, again[3])]);
    const sooner = [scheduled(2), failed(2, 1, NOW_MS + 5_000), resent(2, 2)] as const;
    givenEvents(deliverWebhooks, ...sooner).thenDue(NOW_MS, [attempt(2, 2, sooner[2])]);
  });

  test('no more for a delivery that has expired from the store', () => {
    const { resent } = happenings();
    const again = resent(1, 7);
    givenEvents(deliverWebhooks, again)
      .thenDue(NOW_MS, [attempt(1, 7, again)])
      .whenDone(attempt(1, 7, again))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });

  test('after a resend, even if all earlier events lie before the checkpoint', () => {
    const { resent, failed } = happenings();
    const first = resent(1, 7);
    givenEvents(deliverWebhooks, first).thenDue(NOW_MS, [attempt(1, 7, first)]);
    const second = failed(1, 7, NOW_MS + 5_000);
    givenEvents(deliverWebhooks, first, second).thenDue(NOW_MS + 5_000, [attempt(1, 8, second)]);
  });

  test('no more after a success, nor after the last failure', () => {
    const { scheduled, failed, succeeded, exhausted } = happenings();
    givenEvents(
      deliverWebhooks,
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

  test('in the order of due times over all receivers, and at most `limit`', () => {
    const { scheduled, toBooking, failed } = happenings();
    const [one, two, three] = [scheduled(1, 1), scheduled(2, 2), toBooking(3, 'https://a.example')];
    const [late, later] = [failed(2, 1, NOW_MS + 3), failed(1, 1, NOW_MS + 7)];
    const all = [
      attempt(3, 1, three, 'https://a.example'),
      attempt(2, 2, late, 'key_2'),
      attempt(1, 2, later, 'key_1'),
    ];
    givenEvents(deliverWebhooks, one, two, three, late, later)
      .thenDue(NOW_MS + 10, all)
      .thenDue(NOW_MS + 10, all.slice(0, 2), 2);
  });
});

describe('a receiver', () => {
  type State = typeof deliverWebhooks.initial;
  const fold = (events: readonly Recorded<DeliveryEvent>[], state: State = deliverWebhooks.initial): State =>
    events.reduce((rest, event) => deliverWebhooks.react(rest, event), state);
  const began = (state: State, command: AttemptCommand): State =>
    deliverWebhooks.inProgress?.began(state, command) ?? state;
  const ended = (state: State, command: AttemptCommand, ending: { nowMs: number; recorded: boolean }): State =>
    deliverWebhooks.inProgress?.ended(state, command, ending) ?? state;

  /** Begins everything that is due, as the runner does. */
  function beginAll(before: State, nowMs = NOW_MS, room = roomFor(10_000)) {
    const started: AttemptCommand[] = [];
    let state = before;
    for (;;) {
      const due = deliverWebhooks.due(state, nowMs, room);
      if (due.length === 0) return { state, started, ids: started.map(({ delivery }) => delivery as string) };
      for (const command of due) state = began(state, command);
      started.push(...due);
    }
  }

  /** A state after so many successes of a receiver in a row, with only `open` open. */
  function afterSuccesses(successes: number, open: number, key = 1) {
    const { scheduled, succeeded, failed } = happenings();
    // A delivery due much later keeps the queue and its limit.
    const kept = [scheduled(9_000 + key, key), failed(9_000 + key, 1, NOW_MS + 1e9)];
    const past = Array.from({ length: successes }, (_, n) => [scheduled(n, key), succeeded(n, 1)]).flat();
    const now = Array.from({ length: open }, (_, n) => scheduled(1_000 * key + n, key));
    return fold([...kept, ...past, ...now]);
  }

  test('gets one attempt at a time at first, and one more after each success, up to eight', () => {
    const widths = [0, 1, 2, 7, 8, 20].map((successes) => beginAll(afterSuccesses(successes, 20)).started.length);
    expect(widths).toEqual([1, 2, 3, 8, 8, 8]);
  });

  test('gets half as many after a failure, and one at a time after a slow failure', () => {
    const { failed, silent } = happenings();
    const full = afterSuccesses(20, 20);
    const refused = fold([failed(1_000, 1, NOW_MS + 5_000)], full);
    expect(beginAll(refused).started).toHaveLength(4);
    expect(beginAll(fold([silent(1_000, 1, NOW_MS + 5_000)], full)).started).toHaveLength(1);
  });

  test('gets no attempt twice at once, and the next one in turn', () => {
    const { scheduled, succeeded, failed } = happenings();
    const events = [scheduled(1), scheduled(2)];
    const first = beginAll(fold(events));
    expect(first.ids).toEqual(['dlv_1']);
    const second = beginAll(fold([succeeded(1, 1)], first.state));
    expect(second.ids).toEqual(['dlv_2']);
    const third = beginAll(fold([failed(2, 1, NOW_MS + 5_000)], second.state), NOW_MS + 4_999);
    expect(third.ids).toEqual([]);
    expect(beginAll(third.state, NOW_MS + 5_000).started.map(attemptKey)).toEqual(['dlv_2 2']);
  });

  test('retries an attempt without an outcome after a delay, and makes others before', () => {
    const { scheduled, succeeded } = happenings();
    const { state, started } = beginAll(fold([scheduled(1), scheduled(2)]));
    expect(started.map(attemptKey)).toEqual(['dlv_1 1']);
    const over = (before: State) =>
      started.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS + 7, recorded: false }), before);
    expect(beginAll(over(state), NOW_MS + 7).ids).toEqual(['dlv_2']);
    const other = fold([succeeded(2, 1)], over(state));
    expect(beginAll(other, NOW_MS + 7 + AGAIN_MS - 1).ids).toEqual([]);
    expect(beginAll(other, NOW_MS + 7 + AGAIN_MS).ids).toEqual(['dlv_1']);
    // An outcome recorded by another node stands.
    const elsewhere = over(fold([succeeded(1, 1), succeeded(2, 1)], state));
    expect(beginAll(elsewhere, NOW_MS + 1e9).ids).toEqual([]);
  });

  test('gets the next attempt when one has ended, even before its event is folded', () => {
    const { scheduled, failed, succeeded } = happenings();
    const { state, started } = beginAll(fold([scheduled(1), scheduled(2)]));
    const done = started.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS, recorded: true }), state);
    const next = beginAll(done, NOW_MS + 1e9);
    expect(next.ids).toEqual(['dlv_2']);
    const folded = fold([failed(1, 1, NOW_MS + 5_000), succeeded(2, 1)], next.state);
    expect(beginAll(folded, NOW_MS + 5_000).started.map(attemptKey)).toEqual(['dlv_1 2']);
    // After its event is folded, a late `ended` changes nothing.
    const late = started.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS, recorded: true }), folded);
    expect(beginAll(late, NOW_MS + 5_000).started.map(attemptKey)).toEqual(['dlv_1 2']);
  });

  test('gets no second attempt if a resend is requested during the first', () => {
    const { scheduled, failed, resent } = happenings();
    const events = [scheduled(1), failed(1, 1, NOW_MS + 5_000)];
    const { state } = beginAll(fold(events), NOW_MS + 5_000);
    expect(beginAll(fold([resent(1, 2)], state), NOW_MS + 5_000).ids).toEqual([]);
  });

  test('is identified by the key, or by the origin of the booking’s own URL', () => {
    const { scheduled, toBooking } = happenings();
    const { started } = beginAll(fold([scheduled(1, 1), scheduled(4, 2), toBooking(5, 'https://a.example')]));
    expect(started.map(({ queueKey }) => queueKey).sort()).toEqual(['https://a.example', 'key_1', 'key_2']);
  });

  test('is attempted only on the node that holds its partition', () => {
    const { scheduled } = happenings();
    const all = fold(Array.from({ length: 64 }, (_, key) => scheduled(key, key)));
    const held = PARTITIONS / 2;
    const room = { ...roomFor(1_000), ownsPartition: (partition: number) => partition < held };
    const queues = beginAll(all, NOW_MS, room).started.map(({ queueKey }) => queueKey);
    const mine = Array.from({ length: 64 }, (_, key) => `key_${key}`).filter((queue) => partitionOf(queue) < held);
    expect(queues.sort()).toEqual(mine.sort());
  });

  test('that hangs leaves the others their attempt, however many hang', () => {
    const { scheduled, silent, succeeded } = happenings();
    const sick = Array.from({ length: 2_000 }, (_, key) => [scheduled(key, key), silent(key, 1, NOW_MS)]).flat();
    const { state, started } = beginAll(fold(sick));
    expect(started).toHaveLength(CAPACITY.slow);
    const healthy = Array.from({ length: 1_500 }, (_, key) => scheduled(10_000 + key, 10_000 + key));
    const among = beginAll(fold(healthy, state));
    expect(among.started).toHaveLength(CAPACITY.first);
    expect(among.started.every(({ queueKey }) => Number(queueKey.slice('key_'.length)) >= 10_000)).toBe(true);
    // A receiver that responded quickly leaves the slow bulkhead.
    const [better] = started;
    const key = Number(better?.queueKey.slice('key_'.length));
    const well = fold([scheduled(20_000, key), scheduled(20_001, key), succeeded(key, 2)], state);
    expect(beginAll(well).ids.filter((id) => id.startsWith('dlv_2000'))).toHaveLength(2);
  });

  test('that hangs with all its attempts leaves the others their first one', () => {
    const { scheduled } = happenings();
    const wide = Array.from({ length: 100 }, (_, n) => n + 1);
    const state = wide.reduce(
      (rest, key) =>
        fold(
          Array.from({ length: 8 }, (_, n) => scheduled(key * 100 + n, key)),
          rest,
        ),
      wide.reduce((rest, key) => fold(wellKnown(key), rest), deliverWebhooks.initial),
    );
    const { started, state: full } = beginAll(state);
    expect(started).toHaveLength(wide.length + CAPACITY.further);
    expect(beginAll(fold([scheduled(1, 9_000), scheduled(2, 9_001)], full)).ids.sort()).toEqual(['dlv_1', 'dlv_2']);
  });

  test('gets its turn after those that have waited longer, however long its queue is', () => {
    const { scheduled, succeeded } = happenings();
    const room = roomFor(1);
    const queue = Array.from({ length: 5 }, (_, n) => scheduled(n));
    const [first] = deliverWebhooks.due(fold(queue), NOW_MS, room);
    expect(first?.queueKey).toBe('key_1');
    const state = fold([...queue, succeeded(0, 1, '2026-11-21T03:00:00.005Z'), scheduled(9, 2)]);
    expect(deliverWebhooks.due(state, NOW_MS + 5, room).map((command) => command.queueKey)).toEqual(['key_2']);
  });

  function wellKnown(key: number): readonly Recorded<DeliveryEvent>[] {
    const { scheduled, failed, succeeded } = happenings();
    const past = Array.from({ length: 8 }, (_, n) => [scheduled(n, key), succeeded(n, 1)]).flat();
    return [scheduled(90_000 + key, key), failed(90_000 + key, 1, NOW_MS + 1e9), ...past];
  }

  test('costs `due` nothing while no attempt of it can begin', () => {
    const { scheduled } = happenings();
    const events = Array.from({ length: 2_000 }, (_, n) => scheduled(n, n % 200));
    const { state, started } = beginAll(fold(events));
    expect(started).toHaveLength(200);
    const walked = spyOn(PriorityQueue.prototype, 'values');
    try {
      expect(deliverWebhooks.due(state, NOW_MS, roomFor(10_000))).toEqual([]);
      expect(walked).toHaveBeenCalledTimes(0);
    } finally {
      walked.mockRestore();
    }
  });
});

describe('the log', () => {
  test('is needed from the oldest open delivery', () => {
    const { scheduled, succeeded } = happenings();
    const events = [scheduled(1), scheduled(2, 2), scheduled(3), succeeded(1, 1)];
    givenEvents(deliverWebhooks, ...events).thenOldestOpen(positionAt(2));
    givenEvents(deliverWebhooks, ...events, succeeded(2, 1)).thenOldestOpen(positionAt(3));
  });

  test('read from a checkpoint may begin in the middle of a closed delivery', () => {
    const { scheduled, failed, succeeded } = happenings();
    scheduled(1);
    givenEvents(deliverWebhooks, failed(1, 1, NOW_MS), succeeded(1, 2))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });
});
