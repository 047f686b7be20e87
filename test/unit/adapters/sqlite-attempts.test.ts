import { describe, expect, test } from 'bun:test';
import { openAttempts } from '../../../src/adapters/sqlite/attempts.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { faultOf } from '../../support/fault.ts';

/** Attempts that end with the given outcomes; the last one repeats. */
function scene(...outcomes: readonly (boolean | Error)[]) {
  let tries = 0;
  const attempts = openAttempts('event store', () => {
    const outcome = outcomes[Math.min(tries++, outcomes.length - 1)] ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return {
    attempts,
    tries: () => tries,
    asked: () => new Promise<void>((resolve, reject) => attempts.request(resolve, reject)),
  };
}

describe('work on a file that another connection may use', () => {
  test('serves concurrent requests with one attempt, and a later request with another', async () => {
    const { asked, tries } = scene(true);
    await Promise.all(Array.from({ length: 64 }, asked));
    expect(tries()).toBe(1);
    await asked();
    expect(tries()).toBe(2);
  });

  test('is repeated while that connection uses it', async () => {
    const { asked, tries } = scene(false, false, true);
    await Promise.all([asked(), asked()]);
    expect(tries()).toBe(3);
  });

  test('rejects all pending requests with a fault, and starts again at the next request', async () => {
    const fault = new Error('disk I/O error');
    const { asked } = scene(false, fault, true);
    expect(await Promise.all([faultOf(asked), faultOf(asked)])).toEqual([fault, fault]);
    await asked();
  });

  test('makes one last attempt when it is stopped', async () => {
    const [done, inVain] = [scene(false, true), scene(false)];
    const faults = [done, inVain].map(({ asked }) => asked().catch((fault: unknown) => fault));
    while (done.tries() === 0 || inVain.tries() === 0) await new Promise(setImmediate);
    for (const { attempts } of [done, inVain]) attempts.stop();
    const tries = inVain.tries();
    expect(await Promise.all(faults)).toEqual([undefined, expect.any(StoreUnavailable)]);
    expect(inVain.tries()).toBe(tries);
  });

  test('makes no attempt at a stop without pending requests', () => {
    const { attempts, tries } = scene(true);
    attempts.stop();
    expect(tries()).toBe(0);
  });
});
