import { describe, test } from 'bun:test';
import fc from 'fast-check';
import { endpointDecider } from '../../../src/domain/endpoint/decider.ts';
import type {
  AttemptsReport,
  EndpointCommand,
  EndpointEvent,
  EndpointFacts,
  Failures,
} from '../../../src/domain/endpoint/endpoint.ts';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const SUSPEND_AFTER_MS = 5 * DAY_MS;
const FACTS: EndpointFacts = { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example' };
const ERROR = 'answered 500';
const MESSAGE_ID = '<ep_1.1@waymark.example>';

/** A day and hour of the test, ISO 8601 UTC. */
function day(days: number, ms = 0): string {
  return new Date(Date.parse('2026-11-01T00:00:00Z') + days * DAY_MS + ms).toISOString();
}

function report(succeededAt: string | null, failures: Omit<Failures, 'error'> | null, at = day(9)) {
  const attemptsReport: AttemptsReport = {
    succeededAt,
    failures: failures === null ? null : { ...failures, error: ERROR },
  };
  return {
    type: 'ReportAttempts',
    facts: FACTS,
    report: attemptsReport,
    suspendAfterMs: SUSPEND_AFTER_MS,
    at,
  } as const;
}

const failures = (firstAt: string, lastAt = firstAt) => ({ firstAt, lastAt, gaveUpAt: null });
const exhausted = (firstAt: string, at: string) => ({ firstAt, lastAt: at, gaveUpAt: at });
const failing = (since: string): EndpointEvent => ({ type: 'EndpointFailing', data: { ...FACTS, since } });
const recovered = (at: string): EndpointEvent => ({ type: 'EndpointRecovered', data: { at } });
const suspended = (failingSince: string, issue = 1): EndpointEvent => ({
  type: 'EndpointSuspended',
  data: { ...FACTS, failingSince, error: ERROR, issue, at: day(9) },
});
const enabled = (at: string): EndpointEvent => ({ type: 'EndpointEnabled', data: { at } });

describe('a receiver', () => {
  test('that works has no events', () => {
    given(endpointDecider, [])
      .when(report(day(1), null))
      .thenNothing();
  });

  test('fails from the first failure without a later success', () => {
    given(endpointDecider, [])
      .when(report(day(1), failures(day(2), day(3))))
      .then([failing(day(2))]);
  });

  test('that keeps failing adds no event', () => {
    given(endpointDecider, [failing(day(0))])
      .when(report(null, failures(day(1), day(4))))
      .thenNothing();
  });

  test('recovers with the first success', () => {
    given(endpointDecider, [failing(day(0))])
      .when(report(day(4), null))
      .then([recovered(day(4))]);
  });

  test('that recovers and fails again fails since the new failure', () => {
    given(endpointDecider, [failing(day(0))])
      .when(report(day(4), exhausted(day(4, 1), day(6))))
      .then([recovered(day(4)), failing(day(4, 1))]);
  });

  test('keeps failing if an earlier success is reported again', () => {
    given(endpointDecider, [failing(day(2))])
      .when(report(day(1), failures(day(2), day(3))))
      .thenNothing();
  });

  test('does not fail again because of failures before its recovery', () => {
    given(endpointDecider, [failing(day(0)), recovered(day(3))])
      .when(report(null, failures(day(1), day(2))))
      .thenNothing();
  });
});

describe('a receiver that has only failed', () => {
  test.each([
    ['a millisecond less than five days', day(5, -1), []],
    ['five days to the millisecond', day(5), [suspended(day(0))]],
    ['longer', day(8), [suspended(day(0))]],
  ])('for %s when a delivery gave up', (_name, at, events) => {
    given(endpointDecider, [failing(day(0))])
      .when(report(null, exhausted(day(1), at)))
      .then(events);
  });

  test('is not suspended by a single late failure: the delivery may still succeed', () => {
    given(endpointDecider, [failing(day(0))])
      .when(report(null, failures(day(8))))
      .thenNothing();
  });

  test('is suspended even if all failures are reported at once', () => {
    given(endpointDecider, [])
      .when(report(null, exhausted(day(0), day(6))))
      .then([failing(day(0)), suspended(day(0))]);
  });

  test('is suspended for consecutive days without a success, not for failing days in total', () => {
    given(endpointDecider, [failing(day(0)), recovered(day(4)), failing(day(4, 1))])
      .when(report(null, exhausted(day(4, 1), day(8))))
      .thenNothing();
  });
});

describe('a suspended receiver', () => {
  const story = [failing(day(0)), suspended(day(0))];

  test('stays suspended, whatever the outcome of running attempts', () => {
    given(endpointDecider, story)
      .when(report(day(9), null))
      .thenNothing();
    given(endpointDecider, story)
      .when(report(null, exhausted(day(9), day(9))))
      .thenNothing();
  });

  test('is enabled by its owner', () => {
    given(endpointDecider, story)
      .when({ type: 'EnableEndpoint', at: day(10) })
      .then([enabled(day(10))]);
  });

  test('that was enabled starts again: earlier failures do not count', () => {
    const afresh = [...story, enabled(day(10))];
    given(endpointDecider, afresh)
      .when(report(null, exhausted(day(0), day(9))))
      .thenNothing();
    given(endpointDecider, afresh)
      .when(report(null, exhausted(day(0), day(11))))
      .then([failing(day(11))]);
  });

  test('can be suspended a second time', () => {
    given(endpointDecider, [...story, enabled(day(10)), failing(day(11))])
      .when(report(null, exhausted(day(11), day(16))))
      .then([suspended(day(11), 2)]);
  });
});

test('enabling a receiver that is not suspended adds no event', () => {
  for (const story of [[], [failing(day(0))]])
    given(endpointDecider, story)
      .when({ type: 'EnableEndpoint', at: day(1) })
      .thenNothing();
});

describe('the mail about a suspension', () => {
  const story = [failing(day(0)), suspended(day(0))];
  const mailed = { issue: 1, messageId: MESSAGE_ID, providerId: '250 OK', at: day(9) };
  const notMailed = { issue: 1, messageId: MESSAGE_ID, attempt: 1, reason: 'RCPT TO 450', retryAtMs: 7, at: day(9) };
  const sent: EndpointEvent = { type: 'SuspensionMailed', data: mailed };
  const unsent: EndpointEvent = { type: 'SuspensionMailFailed', data: notMailed };

  test('is recorded once', () => {
    given(endpointDecider, story)
      .when({ type: 'RecordSuspensionMailed', ...mailed })
      .then([sent]);
    given(endpointDecider, [...story, sent])
      .when({ type: 'RecordSuspensionMailFailed', ...notMailed })
      .thenNothing();
  });

  test('is recorded once per failed attempt', () => {
    const record = { type: 'RecordSuspensionMailFailed', ...notMailed } as const;
    given(endpointDecider, story).when(record).then([unsent]);
    given(endpointDecider, [...story, unsent])
      .when(record)
      .thenNothing();
    given(endpointDecider, [...story, unsent])
      .when({ ...record, attempt: 2, retryAtMs: null })
      .then([{ type: 'SuspensionMailFailed', data: { ...notMailed, attempt: 2, retryAtMs: null } }]);
  });

  test('about an earlier or ended suspension is ignored', () => {
    given(endpointDecider, [...story, enabled(day(10)), failing(day(11)), suspended(day(11), 2)])
      .when({ type: 'RecordSuspensionMailed', ...mailed })
      .thenNothing();
    given(endpointDecider, [...story, enabled(day(10))])
      .when({ type: 'RecordSuspensionMailed', ...mailed })
      .thenNothing();
  });
});

/** Hours of a day, in ascending order. */
const hours = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 4 })
  .map((some) => some.toSorted((one, other) => one - other).map((at) => day(0, at * HOUR_MS)));
const endpointCommand: fc.Arbitrary<EndpointCommand> = fc.oneof(
  fc
    .record({ hours, acknowledged: fc.boolean(), failed: fc.boolean(), gaveUp: fc.boolean() })
    .map(({ hours: [first = '', second = '', third = '', last = ''], acknowledged, failed, gaveUp }) => ({
      type: 'ReportAttempts' as const,
      facts: FACTS,
      report: {
        succeededAt: acknowledged ? first : null,
        failures: failed ? { firstAt: second, lastAt: last, gaveUpAt: gaveUp ? third : null, error: ERROR } : null,
      },
      suspendAfterMs: 3 * HOUR_MS,
      at: last,
    })),
  hours.map(([at = '']) => ({ type: 'EnableEndpoint' as const, at })),
  fc.record({
    type: fc.constant('RecordSuspensionMailed' as const),
    issue: fc.integer({ min: 1, max: 2 }),
    messageId: fc.constant(MESSAGE_ID),
    providerId: fc.constant(null),
    at: fc.constant(day(9)),
  }),
  fc.record({
    type: fc.constant('RecordSuspensionMailFailed' as const),
    issue: fc.integer({ min: 1, max: 2 }),
    messageId: fc.constant(MESSAGE_ID),
    attempt: fc.integer({ min: 1, max: 3 }),
    reason: fc.constant('RCPT TO 450'),
    retryAtMs: fc.option(fc.nat()),
    at: fc.constant(day(9)),
  }),
);

test('a command decided twice in a row adds nothing the second time', () =>
  decidedTwice(endpointDecider, endpointCommand));
