import { describe, expect, test } from 'bun:test';
import { EventStoreRefusal, EventStoreUnavailable } from '../../../../src/adapters/eventstoredb/faults.ts';
import { type Attempt, retry, type Time } from '../../../../src/adapters/eventstoredb/retry.ts';
import { faultOf } from '../../../support/fault.ts';

const RETRY_POLICY = { deadlineMs: 10_000, attemptMs: 3_000 };

type Made = {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly answer: (answer: string) => void;
  readonly fail: (fault: unknown) => void;
};

/** A call whose attempts and time the test controls. */
function scene() {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly call: () => void }>();
  const time: Time = {
    nowMs: () => nowMs,
    later(ms, call) {
      const timer = { atMs: nowMs + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const attempts: Made[] = [];
  const attempt: Attempt<string> = (signal, heard) =>
    new Promise((answer, fail) => attempts.push({ signal, heard, answer, fail }));
  const closing = new AbortController();
  return {
    attempts,
    closing,
    call: retry('read of booking-1', RETRY_POLICY, closing.signal, attempt, time),
    /** Advances the time, timer by timer. */
    advance: async (ms: number): Promise<void> => {
      const endsAtMs = nowMs + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].sort((one, other) => one.atMs - other.atMs);
        if (next === undefined || next.atMs > endsAtMs) break;
        timers.delete(next);
        nowMs = next.atMs;
        next.call();
      }
      nowMs = endsAtMs;
    },
    timers,
  };
}

/** Runs pending microtasks. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

describe('a call to the event store', () => {
  test('to a slow server returns the late answer to its first attempt', async () => {
    const { call, attempts, advance } = scene();
    await advance(9_500);
    expect(attempts).toHaveLength(4);
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
    attempts[0]?.answer('late');
    expect(await call).toBe('late');
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true]);
  });

  test('is attempted again while an attempt is silent, and the first answer counts', async () => {
    const { call, attempts, advance, timers } = scene();
    await advance(2_999);
    expect(attempts).toHaveLength(1);
    await advance(1);
    attempts[1]?.answer('second');
    expect(await call).toBe('second');
    attempts[0]?.fail(new Error('ended'));
    await settled();
    expect(timers.size).toBe(0);
  });

  test('whose answer keeps arriving has no deadline', async () => {
    const { call, attempts, advance } = scene();
    for (let n = 0; n < 10; n++) {
      await advance(2_900);
      attempts[0]?.heard();
    }
    attempts[0]?.answer('long');
    expect(await call).toBe('long');
    expect(attempts).toHaveLength(1);
  });

  test('whose answer stops arriving is attempted again, and rejected at the deadline counted from then', async () => {
    const { call, attempts, advance } = scene();
    await advance(2_000);
    attempts[0]?.heard();
    const fault = faultOf(() => call);
    await advance(9_999);
    expect(attempts).toHaveLength(4);
    await advance(1);
    expect(await fault).toMatchObject({
      message: 'read of booking-1: no answer from the event store within 10000 ms',
      failed: {
        call: 'read of booking-1',
        deadline: { name: 'event store', ms: 10_000 },
        tookMs: 12_000,
        attempts: 4,
      },
    });
    expect(await fault).toBeInstanceOf(EventStoreUnavailable);
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true]);
  });

  test('that fails is attempted again after doubling delays, up to the deadline', async () => {
    const { call, attempts, advance, timers } = scene();
    const fault = faultOf(() => call);
    const begunAfterMs: number[] = [];
    for (let n = 0; attempts.length > n; n++) {
      attempts[n]?.fail(new Error('refused'));
      await settled();
      const [next] = timers;
      if (next === undefined) break;
      const before = next.atMs;
      begunAfterMs.push(before);
      await advance(before - (begunAfterMs.at(-2) ?? 0));
    }
    expect(begunAfterMs.slice(0, 7)).toEqual([25, 75, 175, 375, 775, 1_575, 2_575]);
    expect(begunAfterMs.at(-1)).toBeLessThan(10_000);
    expect(await fault).toMatchObject({ cause: new Error('refused'), failed: { attempts: attempts.length } });
  });

  test('with one failed and one running attempt waits for the running one', async () => {
    const { call, attempts, advance } = scene();
    await advance(3_000);
    attempts[0]?.fail(new Error('the stream has ended'));
    await advance(2_000);
    expect(attempts).toHaveLength(2);
    attempts[1]?.answer('second');
    expect(await call).toBe('second');
  });

  test('that is permanently refused is not attempted again', async () => {
    const { call, attempts, timers } = scene();
    const refusal = new EventStoreRefusal('too large');
    const fault = faultOf(() => call);
    attempts[0]?.fail(refusal);
    expect(await fault).toBe(refusal);
    expect(timers.size).toBe(0);
  });

  test('ends when the store is closed', async () => {
    const { call, attempts, closing, timers } = scene();
    const fault = faultOf(() => call);
    closing.abort();
    expect(await fault).toMatchObject({ message: 'the event store is closed' });
    expect([attempts[0]?.signal.aborted, timers.size]).toEqual([true, 0]);
  });
});
