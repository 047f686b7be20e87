import { describe, expect, test } from 'bun:test';
import { monitorEngines } from '../../../src/app/engine-health.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';

/** An engine whose answers a test gives, watched. */
function scene() {
  const [clock, log] = [movedClock(0), collectedLog()];
  const engine: { answer: () => Promise<boolean> } = { answer: () => Promise.resolve(true) };
  const probes = { asked: 0 };
  const probe = (): Promise<boolean> => {
    probes.asked++;
    return engine.answer();
  };
  const watch = monitorEngines({ event_store: probe }, { clock, log, elapsedMs: () => clock.nowMs() });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { log, engine, probes, watch, settle, pass };
}

describe('an engine', () => {
  test('counts as available until it does not answer', async () => {
    const { watch, log, settle } = scene();
    await settle();
    expect(watch.answering()).toEqual({ event_store: true });
    expect(log.lines).toEqual([]);
    await watch.stop();
  });

  test.each([
    ['says no', () => Promise.resolve(false)],
    ['fails', () => Promise.reject(new Error('refused'))],
  ])('that %s is away, is told once, and is back when it answers', async (_, answer) => {
    const { watch, log, engine, settle, pass } = scene();
    await settle();
    engine.answer = answer;
    await pass(10_000);
    await pass(1_000);
    expect(watch.answering()).toEqual({ event_store: false });
    engine.answer = () => Promise.resolve(true);
    await pass(1_000);
    expect(watch.answering()).toEqual({ event_store: true });
    expect(log.lines).toEqual([
      { level: 'warn', happening: 'engine is unavailable', facts: { engine: 'event_store' } },
      { level: 'info', happening: 'engine is available again', facts: { engine: 'event_store', awayMs: 2_000 } },
    ]);
    await watch.stop();
  });

  test('that does not answer is unavailable after two seconds', async () => {
    const { watch, engine, settle, pass } = scene();
    await settle();
    engine.answer = () => new Promise(() => {});
    await pass(10_000);
    await pass(1_999);
    expect(watch.answering()).toEqual({ event_store: true });
    await pass(1);
    expect(watch.answering()).toEqual({ event_store: false });
    await watch.stop();
  });

  test('that answers is checked every ten seconds, and at most twice a second while somebody asks', async () => {
    const { watch, probes, settle, pass } = scene();
    await settle();
    const since = (): number => {
      const { asked } = probes;
      probes.asked = 0;
      return asked;
    };
    expect(since()).toBe(1);
    for (let second = 0; second < 60; second++) await pass(1_000);
    expect(since()).toBe(6);
    await pass(500);
    for (let asks = 0; asks < 50; asks++) {
      watch.answering();
      await pass(100);
    }
    expect(since()).toBe(10);
    await watch.stop();
  });

  test('that goes away is noticed by those who ask, and checked every second until it is back', async () => {
    const { watch, engine, probes, settle, pass } = scene();
    await settle();
    await pass(1_000);
    engine.answer = () => Promise.resolve(false);
    watch.answering();
    await settle();
    expect(watch.answering()).toEqual({ event_store: false });
    await pass(9_000);
    probes.asked = 0;
    for (let second = 0; second < 5; second++) await pass(1_000);
    expect(probes.asked).toBe(5);
    await watch.stop();
  });
});
