import { describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { faultOf } from '../../support/fault.ts';
import { machine } from '../../support/machine.ts';

describe('the watch', () => {
  test('compares the clocks three times per lease duration', async () => {
    const { state, open } = machine();
    const check = await open();
    const asked: number[] = [];
    for (let second = 0; second < 16; second++) {
      state.elapsedMs += 1_000;
      await check.look();
      asked.push(state.asked);
    }
    expect(asked).toEqual([1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9]);
  });

  test('compares them at once when somebody has set the clock a little, and each time while it is off', async () => {
    const { state, open } = machine();
    const check = await open();
    state.offsetMs = 51;
    await check.look();
    expect(state.asked).toBe(2);
    await check.look();
    expect(state.asked).toBe(2);
    state.offsetMs = HOUR_MS;
    await check.look();
    expect([check.off.aborted, state.asked]).toEqual([true, 3]);
    await check.look();
    expect(state.asked).toBe(4);
    state.offsetMs = 0;
    await check.look();
    expect(check.off.aborted).toBe(false);
  });

  test('of the server is answered by a comparison, or by one that has just ended', async () => {
    const { state, open } = machine();
    const check = await open();
    state.elapsedMs += 499;
    expect([await check.answers(), state.asked]).toEqual([true, 1]);
    state.elapsedMs += 1;
    expect([await check.answers(), state.asked]).toEqual([true, 2]);
    state.away = true;
    state.elapsedMs += 500;
    expect(await faultOf(() => check.answers())).toEqual(new Error('MongoDB is unavailable'));
  });
});
