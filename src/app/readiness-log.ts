import type { Checks } from '../http/context.ts';
import type { Log } from '../ports/log.ts';

/** Logs the result of a readiness check if it changed, and returns it. */
export type ReadinessLog = (checks: Checks) => Checks;

/**
 * Load balancers probe every second, so only a change is logged. A process has one such log, because its node may start
 * again.
 */
export function readinessLog(log: Log): ReadinessLog {
  let before = '[]';
  return (checks) => {
    const failed = Object.entries(checks).filter(([, check]) => check !== true);
    const now = JSON.stringify(failed.map(([name, check]) => [name, withoutNumbers(check)]));
    if (now !== before) {
      if (failed.length === 0) log.info('ready');
      else log.warn('not ready', { failed: Object.fromEntries(failed) });
    }
    before = now;
    return checks;
  };
}

/** A measured number in a reason, such as the offset of the clock, differs at every probe. */
function withoutNumbers(check: boolean | string): boolean | string {
  return typeof check === 'string' ? check.replaceAll(/\d+/g, '') : check;
}
