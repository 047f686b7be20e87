import { expect, test } from 'bun:test';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import type { AttemptsReport, EndpointId } from '../../../src/domain/endpoint/endpoint.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import {
  REPORT_AFTER_MS,
  REPORT_RECOVERY_AFTER_MS,
  type ReportAttempts,
  suspendEndpoints,
} from '../../../src/processes/suspend-endpoints/process-manager.ts';
import { deliveryFacts, deliveryId, endpointId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const DUE_MS = NOW_MS + REPORT_AFTER_MS;
const ONE = endpointId('ep_1');
const OTHER = endpointId('ep_2');

/** So many seconds behind NOW. */
const at = (seconds: number) => new Date(NOW_MS + seconds * 1_000).toISOString();

/** The log of one test: attempts at deliveries to the receivers `ep_1` and `ep_2`. */
function happenings() {
  const record = recorder();
  const recorded = (event: DeliveryEvent): Recorded<DeliveryEvent> =>
    record<DeliveryEvent>('delivery-dlv_1', event, { correlationId: 'req_1' });
  const attempted = (seconds: number, endpoint: EndpointId | null) => ({
    attempt: 1,
    keyRevision: 3,
    endpointId: endpoint,
    responseTimeMs: 12,
    at: at(seconds),
  });
  const failure = (seconds: number, nextAttemptAtMs: number | null, endpoint: EndpointId | null): DeliveryEvent => ({
    type: 'AttemptFailed',
    data: { ...attempted(seconds, endpoint), responseCode: 500, error: 'answered 500', nextAttemptAtMs },
  });
  return {
    scheduled: () => recorded({ type: 'DeliveryScheduled', data: deliveryFacts() }),
    failed: (seconds: number, endpoint: EndpointId | null = ONE) => recorded(failure(seconds, NOW_MS, endpoint)),
    gaveUp: (seconds: number) => recorded(failure(seconds, null, ONE)),
    succeeded: (seconds: number) =>
      recorded({ type: 'DeliverySucceeded', data: { ...attempted(seconds, ONE), responseCode: 200 } }),
  };
}

function reporting(last: Recorded<DeliveryEvent>, report: AttemptsReport, endpoint = ONE): ReportAttempts {
  return {
    endpoint,
    report,
    delivery: deliveryId('dlv_1'),
    keyRevision: 3,
    causationId: last.id,
    correlationId: 'req_1',
    lastPosition: last.position,
  };
}

function failures(first: number, last: number, gaveUp: number | null = null): AttemptsReport['failures'] {
  return { firstAt: at(first), lastAt: at(last), gaveUpAt: gaveUp === null ? null : at(gaveUp), error: 'answered 500' };
}

test('failures are reported together, a minute after the first of them', () => {
  const { failed } = happenings();
  const [first, last] = [failed(0), failed(5)];
  const report = reporting(last, { succeededAt: null, failures: failures(0, 5) });
  givenEvents(suspendEndpoints, first, last)
    .thenDue(DUE_MS - 1, [])
    .thenDue(DUE_MS, [report])
    .thenOldestOpen(positionAt(1));
});

test('a success clears the failures before it, not those after it', () => {
  const { failed, gaveUp, succeeded } = happenings();
  const [before, success, behind, last] = [gaveUp(0), succeeded(5), failed(10), failed(15)];
  givenEvents(suspendEndpoints, before, success).thenDue(DUE_MS, [
    reporting(success, { succeededAt: at(5), failures: null }),
  ]);
  givenEvents(suspendEndpoints, before, success, behind, last).thenDue(DUE_MS, [
    reporting(last, { succeededAt: at(5), failures: failures(10, 15) }),
  ]);
});

test('a success after a report of failures is reported after two seconds, so that a repaired receiver soon works', () => {
  const { succeeded, failed } = happenings();
  const [failure, success, later] = [failed(0), succeeded(70), succeeded(80)];
  const failing = reporting(failure, { succeededAt: null, failures: failures(0, 0) });
  const recovered = reporting(success, { succeededAt: at(70), failures: null });

  const reported = suspendEndpoints.done(suspendEndpoints.react(suspendEndpoints.initial, failure), failing);
  const repaired = suspendEndpoints.react(reported, success);
  const dueMs = Date.parse(at(70)) + REPORT_RECOVERY_AFTER_MS;
  expect(suspendEndpoints.due(repaired, dueMs - 1, roomFor(8))).toEqual([]);
  expect(suspendEndpoints.due(repaired, dueMs, roomFor(8))).toEqual([recovered]);

  const working = suspendEndpoints.react(suspendEndpoints.done(repaired, recovered), later);
  expect(suspendEndpoints.due(working, Date.parse(at(80)) + REPORT_AFTER_MS - 1, roomFor(8))).toEqual([]);
});

test('a success of a working receiver waits for a minute', () => {
  const { succeeded } = happenings();
  const [first, last] = [succeeded(0), succeeded(1)];
  givenEvents(suspendEndpoints, first, last)
    .thenDue(DUE_MS - 1, [])
    .thenDue(DUE_MS, [reporting(last, { succeededAt: at(1), failures: null })]);
});

test('failures after a success wait for a minute: the receiver may acknowledge the next event', () => {
  const { succeeded, failed } = happenings();
  const last = failed(1);
  givenEvents(suspendEndpoints, succeeded(0), last)
    .thenDue(DUE_MS - 1, [])
    .thenDue(DUE_MS, [reporting(last, { succeededAt: at(0), failures: failures(1, 1) })]);
});

test('the report keeps an exhausted delivery among later failures', () => {
  const { failed, gaveUp } = happenings();
  const [first, end, last] = [failed(0), gaveUp(5), failed(10)];
  givenEvents(suspendEndpoints, first, end, last).thenDue(DUE_MS, [
    reporting(last, { succeededAt: null, failures: failures(0, 10, 5) }),
  ]);
});

test('each endpoint gets its own report', () => {
  const { failed } = happenings();
  const [one, other] = [failed(0), failed(1, OTHER)];
  const state = [one, other].reduce((before, event) => suspendEndpoints.react(before, event), suspendEndpoints.initial);
  const due = suspendEndpoints.due(state, DUE_MS + 1_000, roomFor(8));
  expect(new Set(due)).toEqual(
    new Set([
      reporting(one, { succeededAt: null, failures: failures(0, 0) }),
      reporting(other, { succeededAt: null, failures: failures(1, 1) }, OTHER),
    ]),
  );
  expect(suspendEndpoints.due(state, DUE_MS + 1_000, { ...roomFor(8), busy: (key) => key === ONE })).toHaveLength(1);
  expect(suspendEndpoints.due(state, DUE_MS + 1_000, roomFor(1))).toHaveLength(1);
});

test('reported attempts are dropped from the state', () => {
  const { failed } = happenings();
  const last = failed(0);
  const report = reporting(last, { succeededAt: null, failures: failures(0, 0) });
  givenEvents(suspendEndpoints, last)
    .thenDue(DUE_MS, [report])
    .whenDone(report)
    .thenDue(DUE_MS, [])
    .thenOldestOpen(null);
});

test('attempts that end during a report are reported next, without the earlier events', () => {
  const { failed } = happenings();
  const [first, meanwhile] = [failed(0), failed(60)];
  const state = [first, meanwhile].reduce(
    (before, event) => suspendEndpoints.react(before, event),
    suspendEndpoints.initial,
  );
  const started = reporting(first, { succeededAt: null, failures: failures(0, 0) });
  const rest = suspendEndpoints.done(state, started);
  expect(suspendEndpoints.oldestOpen(rest)).toBe(first.position);
  expect(suspendEndpoints.due(rest, DUE_MS - 1, roomFor(8))).toEqual([]);
  expect(suspendEndpoints.due(rest, DUE_MS, roomFor(8))).toEqual([
    reporting(meanwhile, { succeededAt: null, failures: failures(0, 60) }),
  ]);
});

test('other events, and attempts without an endpoint id, are ignored', () => {
  const { scheduled, failed } = happenings();
  givenEvents(suspendEndpoints, scheduled(), failed(0, null)).thenDue(DUE_MS, []).thenOldestOpen(null);
});
