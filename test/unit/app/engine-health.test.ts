import { describe, expect, test } from 'bun:test';
import { monitorEngines } from '../../../src/app/engine-health.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';

/** An engine whose answers a test gives, watched. */
function scene() {
  const [clock, log] = [movedClock(0), collectedLog()];
  const engine: { answer: () => Promise<boolean> } = { answer: () => Promise.resolve(true) };
  const watch = monitorEngines({ event_store: () => engine.answer() }, { clock, log });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { log, engine, watch, settle, pass };
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
    await pass(1_000);
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
    await pass(1_000);
    await pass(1_999);
    expect(watch.answering()).toEqual({ event_store: true });
    await pass(1);
    expect(watch.answering()).toEqual({ event_store: false });
    await watch.stop();
  });
});
