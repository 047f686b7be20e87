import { describe, expect, test } from 'bun:test';
import { openWalTruncation } from '../../../src/adapters/sqlite/wal-truncation.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { faultOf } from '../../support/fault.ts';

/** A truncation whose attempts end with the given outcomes; the last one repeats. */
function scene(...outcomes: readonly (boolean | Error)[]) {
  let tries = 0;
  const walTruncation = openWalTruncation(() => {
    const outcome = outcomes[Math.min(tries++, outcomes.length - 1)] ?? true;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return {
    walTruncation,
    tries: () => tries,
    asked: () => new Promise<void>((resolve, reject) => walTruncation.request(resolve, reject)),
  };
}

describe('WAL truncation', () => {
  test('serves concurrent requests with one attempt, and a later request with another', async () => {
    const { asked, tries } = scene(true);
    await Promise.all(Array.from({ length: 64 }, asked));
    expect(tries()).toBe(1);
    await asked();
    expect(tries()).toBe(2);
  });

  test('is repeated while another connection uses the log', async () => {
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
    for (const { walTruncation } of [done, inVain]) walTruncation.stop();
    const tries = inVain.tries();
    expect(await Promise.all(faults)).toEqual([undefined, expect.any(StoreUnavailable)]);
    expect(inVain.tries()).toBe(tries);
  });

  test('makes no attempt at a stop without pending requests', () => {
    const { walTruncation, tries } = scene(true);
    walTruncation.stop();
    expect(tries()).toBe(0);
  });
});
