import { describe, expect, test } from 'bun:test';
import { readinessLog } from '../../../src/app/readiness-log.ts';
import type { Checks } from '../../../src/http/context.ts';
import { collectedLog, type LogLine } from '../../support/log.ts';

const READY: Checks = { accepting_requests: true, clock: true };
const AHEAD: Checks = { ...READY, clock: 'the clock is 900 ms ahead' };
const STOPPING: Checks = { ...READY, accepting_requests: false };

/** The lines that the checks of `when` log after those of `given`. */
function given(...before: readonly Checks[]) {
  const log = collectedLog();
  const logReadiness = readinessLog(log);
  for (const checks of before) logReadiness(checks);
  const already = log.lines.length;
  return {
    when(...probes: readonly Checks[]) {
      const results = probes.map(logReadiness);
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- part of the test language; never awaited
        then(lines: readonly LogLine[]): void {
          expect(results).toEqual([...probes]);
          expect(log.lines.slice(already)).toEqual([...lines]);
        },
      };
    },
  };
}

function notReady(failed: Checks): LogLine {
  return { level: 'warn', happening: 'not ready', facts: { failed } };
}

const ready: LogLine = { level: 'info', happening: 'ready', facts: {} };

describe('probes of a node', () => {
  test('log nothing while it is ready', () => {
    given().when(READY, READY).then([]);
  });

  test('log once that it is not ready', () => {
    given(READY)
      .when(STOPPING, STOPPING, STOPPING)
      .then([notReady({ accepting_requests: false })]);
  });

  test('log once that it is ready again', () => {
    given(STOPPING).when(READY, READY).then([ready]);
  });

  test('log each change of the failed checks', () => {
    const clock = 'the clock is 900 ms ahead';
    given(STOPPING)
      .when({ ...STOPPING, clock }, AHEAD)
      .then([notReady({ accepting_requests: false, clock }), notReady({ clock })]);
  });

  test('log another reason of the same check', () => {
    const clock = 'the clock is 900 ms behind';
    given(AHEAD)
      .when({ ...READY, clock })
      .then([notReady({ clock })]);
  });

  test('log no other number in the same reason', () => {
    given(AHEAD)
      .when({ ...READY, clock: 'the clock is 1100 ms ahead' })
      .then([]);
  });

  test('log a check that fails again after it had passed', () => {
    given(STOPPING, READY)
      .when(STOPPING, READY)
      .then([notReady({ accepting_requests: false }), ready]);
  });
});
