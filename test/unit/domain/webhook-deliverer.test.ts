import { describe, expect, spyOn, test } from 'bun:test';
import { Agenda } from '../../../src/domain/agenda.ts';
import { AGAIN_MS, type AttemptCommand, attemptKey, webhookDeliverer } from '../../../src/domain/delivery/deliverer.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { PARTS, partOf } from '../../../src/domain/delivery/lanes.ts';
import { MOST } from '../../../src/domain/delivery/pools.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { roomFor } from '../../../src/eventsourcing/process-manager.ts';
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
  const failed = (delivery: number, number: number, nextAttemptAtMs: number | null, responseTimeMs = 12) =>
    told(delivery, {
      type: 'AttemptFailed',
      data: { ...attempted(number), responseTimeMs, responseCode: 500, error: 'answered 500', nextAttemptAtMs },
    });
  return {
    scheduled: (delivery: number, key = 1) =>
      told(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ keyId: keyId(`key_${key}`) }) }),
    toBooking: (delivery: number, origin: string) =>
      told(delivery, { type: 'DeliveryScheduled', data: deliveryFacts({ endpoint: { kind: 'booking', origin } }) }),
    failed,
    /** No answer within 30 s. */
    silent: (delivery: number, number: number, nextAttemptAtMs: number) =>
      failed(delivery, number, nextAttemptAtMs, 30_000),
    succeeded: (delivery: number, number: number, at = AT) =>
      told(delivery, { type: 'DeliverySucceeded', data: { ...attempted(number), responseCode: 200, at } }),
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

  test('no more to a delivery that the store no longer has', () => {
    const { resent } = happenings();
    const again = resent(1, 7);
    givenEvents(webhookDeliverer, again)
      .thenDue(NOW_MS, [attempt(1, 7, again)])
      .whenDone(attempt(1, 7, again))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
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
  type State = typeof webhookDeliverer.initial;
  const fold = (events: readonly Recorded<DeliveryEvent>[], state: State = webhookDeliverer.initial): State =>
    events.reduce((rest, event) => webhookDeliverer.react(rest, event), state);
  const began = (state: State, command: AttemptCommand): State => webhookDeliverer.began?.(state, command) ?? state;
  const ended = (state: State, command: AttemptCommand, ending: { nowMs: number; recorded: boolean }): State =>
    webhookDeliverer.ended?.(state, command, ending) ?? state;

  /** Begins everything that is due, as whoever runs the manager does. */
  function beginAll(before: State, nowMs = NOW_MS, room = roomFor(10_000)) {
    const begun: AttemptCommand[] = [];
    let state = before;
    for (;;) {
      const due = webhookDeliverer.due(state, nowMs, room);
      if (due.length === 0) return { state, begun, ids: begun.map(({ delivery }) => delivery as string) };
      for (const command of due) state = began(state, command);
      begun.push(...due);
    }
  }

  /** A manager that knows a receiver from so many successes in a row, of which nothing is open but `open`. */
  function afterSuccesses(successes: number, open: number, key = 1) {
    const { scheduled, succeeded, failed } = happenings();
    // One that is due much later keeps what is known of the lane.
    const kept = [scheduled(9_000 + key, key), failed(9_000 + key, 1, NOW_MS + 1e9)];
    const past = Array.from({ length: successes }, (_, n) => [scheduled(n, key), succeeded(n, 1)]).flat();
    const now = Array.from({ length: open }, (_, n) => scheduled(1_000 * key + n, key));
    return fold([...kept, ...past, ...now]);
  }

  test('gets one attempt at a time at first, and one more after each success, up to eight', () => {
    const widths = [0, 1, 2, 7, 8, 20].map((successes) => beginAll(afterSuccesses(successes, 20)).begun.length);
    expect(widths).toEqual([1, 2, 3, 8, 8, 8]);
  });

  test('gets half as many after a failure, and one at a time where that was waited for', () => {
    const { failed, silent } = happenings();
    const full = afterSuccesses(20, 20);
    const refused = fold([failed(1_000, 1, NOW_MS + 5_000)], full);
    expect(beginAll(refused).begun).toHaveLength(4);
    expect(beginAll(fold([silent(1_000, 1, NOW_MS + 5_000)], full)).begun).toHaveLength(1);
  });

  test('gets no attempt twice at once, and the next one in its turn', () => {
    const { scheduled, succeeded, failed } = happenings();
    const events = [scheduled(1), scheduled(2)];
    const first = beginAll(fold(events));
    expect(first.ids).toEqual(['dlv_1']);
    const second = beginAll(fold([succeeded(1, 1)], first.state));
    expect(second.ids).toEqual(['dlv_2']);
    const third = beginAll(fold([failed(2, 1, NOW_MS + 5_000)], second.state), NOW_MS + 4_999);
    expect(third.ids).toEqual([]);
    expect(beginAll(third.state, NOW_MS + 5_000).begun.map(attemptKey)).toEqual(['dlv_2 2']);
  });

  test('is attempted again a moment after an attempt ended with nothing recorded, and hears of other things before', () => {
    const { scheduled, succeeded } = happenings();
    const { state, begun } = beginAll(fold([scheduled(1), scheduled(2)]));
    expect(begun.map(attemptKey)).toEqual(['dlv_1 1']);
    const over = (before: State) =>
      begun.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS + 7, recorded: false }), before);
    expect(beginAll(over(state), NOW_MS + 7).ids).toEqual(['dlv_2']);
    const other = fold([succeeded(2, 1)], over(state));
    expect(beginAll(other, NOW_MS + 7 + AGAIN_MS - 1).ids).toEqual([]);
    expect(beginAll(other, NOW_MS + 7 + AGAIN_MS).ids).toEqual(['dlv_1']);
    // What somebody else recorded meanwhile stands.
    const elsewhere = over(fold([succeeded(1, 1), succeeded(2, 1)], state));
    expect(beginAll(elsewhere, NOW_MS + 1e9).ids).toEqual([]);
  });

  test('gets the next attempt when one has ended, although the event of that is not folded yet', () => {
    const { scheduled, failed, succeeded } = happenings();
    const { state, begun } = beginAll(fold([scheduled(1), scheduled(2)]));
    const told = begun.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS, recorded: true }), state);
    const next = beginAll(told, NOW_MS + 1e9);
    expect(next.ids).toEqual(['dlv_2']);
    const folded = fold([failed(1, 1, NOW_MS + 5_000), succeeded(2, 1)], next.state);
    expect(beginAll(folded, NOW_MS + 5_000).begun.map(attemptKey)).toEqual(['dlv_1 2']);
    // Said late, when its event is folded already, it changes nothing.
    const late = begun.reduce((rest, command) => ended(rest, command, { nowMs: NOW_MS, recorded: true }), folded);
    expect(beginAll(late, NOW_MS + 5_000).begun.map(attemptKey)).toEqual(['dlv_1 2']);
  });

  test('that is asked for once more while its attempt is under way gets none beside it', () => {
    const { scheduled, failed, resent } = happenings();
    const events = [scheduled(1), failed(1, 1, NOW_MS + 5_000)];
    const { state } = beginAll(fold(events), NOW_MS + 5_000);
    expect(beginAll(fold([resent(1, 2)], state), NOW_MS + 5_000).ids).toEqual([]);
  });

  test('is the key, or the origin of the URL that a booking brought along', () => {
    const { scheduled, toBooking } = happenings();
    const { begun } = beginAll(fold([scheduled(1, 1), scheduled(4, 2), toBooking(5, 'https://a.example')]));
    expect(begun.map(({ lane }) => lane).sort()).toEqual(['https://a.example', 'key_1', 'key_2']);
  });

  test('is attempted only where its part of the work is held', () => {
    const { scheduled } = happenings();
    const all = fold(Array.from({ length: 64 }, (_, key) => scheduled(key, key)));
    const held = PARTS / 2;
    const lanes = beginAll(all, NOW_MS, { ...roomFor(1_000), holds: (part) => part < held }).begun.map(
      ({ lane }) => lane,
    );
    const mine = Array.from({ length: 64 }, (_, key) => `key_${key}`).filter((lane) => partOf(lane) < held);
    expect(lanes.sort()).toEqual(mine.sort());
  });

  test('that is silent leaves the others their attempt, however many are silent', () => {
    const { scheduled, silent, succeeded } = happenings();
    const sick = Array.from({ length: 2_000 }, (_, key) => [scheduled(key, key), silent(key, 1, NOW_MS)]).flat();
    const { state, begun } = beginAll(fold(sick));
    expect(begun).toHaveLength(MOST.slow);
    const healthy = Array.from({ length: 1_500 }, (_, key) => scheduled(10_000 + key, 10_000 + key));
    const among = beginAll(fold(healthy, state));
    expect(among.begun).toHaveLength(MOST.first);
    expect(among.begun.every(({ lane }) => Number(lane.slice('key_'.length)) >= 10_000)).toBe(true);
    // One that has answered at once does not wait among the silent any more.
    const [better] = begun;
    const key = Number(better?.lane.slice('key_'.length));
    const well = fold([scheduled(20_000, key), scheduled(20_001, key), succeeded(key, 2)], state);
    expect(beginAll(well).ids.filter((id) => id.startsWith('dlv_2000'))).toHaveLength(2);
  });

  test('that falls silent with all its attempts leaves the others their first one', () => {
    const { scheduled } = happenings();
    const wide = Array.from({ length: 100 }, (_, n) => n + 1);
    const state = wide.reduce(
      (rest, key) =>
        fold(
          Array.from({ length: 8 }, (_, n) => scheduled(key * 100 + n, key)),
          rest,
        ),
      wide.reduce((rest, key) => fold(wellKnown(key), rest), webhookDeliverer.initial),
    );
    const { begun, state: full } = beginAll(state);
    expect(begun).toHaveLength(wide.length + MOST.further);
    expect(beginAll(fold([scheduled(1, 9_000), scheduled(2, 9_001)], full)).ids.sort()).toEqual(['dlv_1', 'dlv_2']);
  });

  test('has its turn after those who waited longer, however long its queue is', () => {
    const { scheduled, succeeded } = happenings();
    const room = roomFor(1);
    const queue = Array.from({ length: 5 }, (_, n) => scheduled(n));
    const [first] = webhookDeliverer.due(fold(queue), NOW_MS, room);
    expect(first?.lane).toBe('key_1');
    const state = fold([...queue, succeeded(0, 1, '2026-11-21T03:00:00.005Z'), scheduled(9, 2)]);
    expect(webhookDeliverer.due(state, NOW_MS + 5, room).map(({ lane }) => lane)).toEqual(['key_2']);
  });

  function wellKnown(key: number): readonly Recorded<DeliveryEvent>[] {
    const { scheduled, failed, succeeded } = happenings();
    const past = Array.from({ length: 8 }, (_, n) => [scheduled(n, key), succeeded(n, 1)]).flat();
    return [scheduled(90_000 + key, key), failed(90_000 + key, 1, NOW_MS + 1e9), ...past];
  }

  test('costs a look nothing while nothing of it can be begun', () => {
    const { scheduled } = happenings();
    const events = Array.from({ length: 2_000 }, (_, n) => scheduled(n, n % 200));
    const { state, begun } = beginAll(fold(events));
    expect(begun).toHaveLength(200);
    const walked = spyOn(Agenda.prototype, 'inOrder');
    try {
      expect(webhookDeliverer.due(state, NOW_MS, roomFor(10_000))).toEqual([]);
      expect(walked).toHaveBeenCalledTimes(0);
    } finally {
      walked.mockRestore();
    }
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
