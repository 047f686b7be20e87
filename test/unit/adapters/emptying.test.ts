import { describe, expect, test } from 'bun:test';
import { openEmptying } from '../../../src/adapters/sqlite/emptying.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { faultOf } from '../../support/fault.ts';

/** The emptying of a log of which each try ends as told; the last of them for ever. */
function scene(...outcomes: readonly (boolean | Error)[]) {
  let tries = 0;
  const emptying = openEmptying(() => {
    const outcome = outcomes[Math.min(tries++, outcomes.length - 1)] ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return {
    emptying,
    tries: () => tries,
    asked: () => new Promise<void>((resolve, reject) => emptying.whenEmpty(resolve, reject)),
  };
}

describe('emptying the write-ahead log', () => {
  test('is done once for all who ask at once, and again for who asks later', async () => {
    const { asked, tries } = scene(true);
    await Promise.all(Array.from({ length: 64 }, asked));
    expect(tries()).toBe(1);
    await asked();
    expect(tries()).toBe(2);
  });

  test('is tried again while somebody is in the way', async () => {
    const { asked, tries } = scene(false, false, true);
    await Promise.all([asked(), asked()]);
    expect(tries()).toBe(3);
  });

  test('ends with a fault for all who wait, and is tried anew for the next', async () => {
    const fault = new Error('disk I/O error');
    const { asked } = scene(false, fault, true);
    expect(await Promise.all([faultOf(asked), faultOf(asked)])).toEqual([fault, fault]);
    await asked();
  });

  test('is tried a last time when it is stopped', async () => {
    const [done, inVain] = [scene(false, true), scene(false)];
    const faults = [done, inVain].map(({ asked }) => asked().catch((fault: unknown) => fault));
    while (done.tries() === 0 || inVain.tries() === 0) await new Promise(setImmediate);
    for (const { emptying } of [done, inVain]) emptying.stop();
    const tries = inVain.tries();
    expect(await Promise.all(faults)).toEqual([undefined, expect.any(StoreUnavailable)]);
    expect(inVain.tries()).toBe(tries);
  });

  test('of a log that nobody waits for is not tried at a stop', () => {
    const { emptying, tries } = scene(true);
    emptying.stop();
    expect(tries()).toBe(0);
  });
});
