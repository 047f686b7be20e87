import { describe, expect, test } from 'bun:test';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { EventStore, RemoteLog, StoredEvent } from '../../../src/ports/event-store.ts';
import { CurrencyCheck } from '../../../src/runtime/currency-check.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { collectedLog } from '../../support/log.ts';

const CATEGORIES = ['apikey', 'booking'];
const PAGE = 4;

/** A log, a follower of its categories, and a reader of keys. The test moves the time, and what each has received. */
/** @param from the position of both at the start */
function scene(from: Position = at(1)) {
  const log: StoredEvent[] = [];
  const time = movedTimers();
  const state = { categories: CATEGORIES, reads: 0, reopened: 0, readMs: 0, away: false };
  const [received, applied] = [new Progress(from), new Progress(from)];
  const store: RemoteLog & Pick<EventStore, 'head' | 'positions'> = {
    positions: { format: String, parse: (text) => Number(text) as Position },
    async readAfter(position, categories) {
      state.reads++;
      const found = log.filter((each) => each.position > position).slice(0, PAGE);
      const caughtUp = (found.at(-1)?.position ?? position) === (log.at(-1)?.position ?? position);
      if (state.readMs > 0) await new Promise<void>((resolve) => time.later(state.readMs, resolve));
      if (state.away) throw new Error('away');
      const events = found.filter(({ stream }) => categories.includes(stream.split('-')[0] ?? ''));
      return { events, upTo: found.at(-1)?.position ?? position, caughtUp };
    },
    head: () => Promise.resolve(log.at(-1)?.position ?? at(0)),
  };
  const logged = collectedLog();
  const check = new CurrencyCheck({
    store,
    log: logged,
    time,
    follower: {
      categories: () => state.categories,
      position: () => received.position,
      waitFor: (position, timeoutMs) => within(received, position, timeoutMs),
      passed(position, categories) {
        if (categories === state.categories && position > received.position) received.set(position);
      },
      reopen: () => {
        state.reopened++;
      },
    },
  });
  const keys = check.of({ categories: ['apikey'], passed: (position, ms) => within(applied, position, ms) });
  function within(progress: Progress, position: Position, timeoutMs: number): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => time.later(timeoutMs, () => resolve(false)));
    return Promise.race([progress.reached(position), late]);
  }
  return {
    state,
    check,
    keys,
    received,
    applied,
    logged,
    append: (...streams: readonly string[]): void => {
      for (const stream of streams) log.push(event(stream, log.length + 2));
    },
    pass: async (ms: number): Promise<void> => {
      for (const until = time.nowMs() + ms; time.nowMs() < until; ) await time.step(until);
    },
    settle: () => time.settle(),
  };
}

function at(place: number): Position {
  return place as Position;
}

function event(stream: string, place: number): StoredEvent {
  const cause = { correlationId: '', causationId: null, by: '', at: '' };
  return { stream, revision: 0, position: at(place), id: String(place), type: 'Happened.v1', data: {}, cause };
}

/** A clock whose timers fire as the test moves it. */
function movedTimers() {
  let nowMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly call: () => void }>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return {
    settle,
    nowMs: () => nowMs,
    later(ms: number, call: () => void) {
      const timer = { dueMs: nowMs + ms, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Moves on to the next timer, at most to a time. */
    async step(untilMs: number): Promise<void> {
      await settle();
      nowMs = Math.min(untilMs, ...[...timers].map(({ dueMs }) => Math.max(dueMs, nowMs)));
      for (const timer of timers)
        if (timer.dueMs <= nowMs) {
          timers.delete(timer);
          timer.call();
        }
      await settle();
    },
  };
}

describe('a reader', () => {
  test('is current for a second after the start of a read that found nothing for it', async () => {
    const { state, keys, pass } = scene();
    expect(keys.current()).toBe(false);
    state.readMs = 300;
    await pass(300);
    expect([keys.current(), state.reads]).toEqual([true, 1]);
    await pass(199);
    expect([keys.current(), state.reads]).toEqual([true, 1]);
    state.away = true;
    await pass(1);
    expect([keys.current(), state.reads]).toEqual([true, 2]);
    await pass(499);
    expect(keys.current()).toBe(true);
    await pass(1);
    expect(keys.current()).toBe(false);
  });

  test('is read for twice a second however many ask', async () => {
    const { state, keys, pass } = scene();
    for (let ask = 0; ask < 600; ask++) {
      keys.current();
      await pass(10);
    }
    expect(state.reads).toBe(12);
  });

  test('that lacks an event is current once it has applied it', async () => {
    const { keys, append, received, applied, pass } = scene();
    append('booking-1', 'apikey-1', 'booking-2');
    const confirmed = keys.confirmed();
    await pass(100);
    received.set(at(4));
    await pass(100);
    expect(keys.current()).toBe(false);
    applied.set(at(3));
    expect(await confirmed).toBe(true);
    expect(keys.current()).toBe(true);
  });

  test('does not wait for events of others', async () => {
    const { keys, append, pass } = scene();
    append('booking-1', 'guest-1');
    keys.current();
    await pass(1);
    expect(keys.current()).toBe(true);
  });

  test('is not current while its categories are not followed', async () => {
    const { state, keys, append, pass } = scene();
    state.categories = ['booking'];
    append('apikey-1');
    keys.current();
    await pass(1);
    expect(keys.current()).toBe(false);
  });

  test('is confirmed by a read that began less than a second before the request, however long it takes', async () => {
    const { state, keys, pass } = scene();
    state.readMs = 1_900;
    const confirmed = keys.confirmed();
    await pass(1_900);
    expect(await confirmed).toBe(true);
    expect(keys.current()).toBe(false);
  });

  test('is not confirmed after five seconds without an answer', async () => {
    const { state, keys, pass } = scene();
    state.away = true;
    const answers: boolean[] = [];
    void keys.confirmed().then((confirmed) => answers.push(confirmed));
    await pass(4_999);
    expect(answers).toEqual([]);
    await pass(1);
    expect([answers, state.reads]).toEqual([[false], 10]);
    // Nobody waits any more.
    await pass(10_000);
    expect(state.reads).toBe(10);
  });
});

describe('the follower', () => {
  test('passes events of others, over several pages', async () => {
    const { check, received, append, settle } = scene();
    append(...Array.from({ length: 3 * PAGE - 1 }, (_, n) => `guest-${n}`));
    expect(await check.read()).toBe(true);
    await settle();
    expect(received.position).toBe(at(3 * PAGE));
  });

  test('passes a position that somebody waits for, and no read follows', async () => {
    const { state, check, received, append, pass } = scene();
    append('guest-1');
    check.passSoon(at(2));
    await pass(1);
    expect(received.position).toBe(at(2));
    check.passSoon(at(3));
    append('guest-2');
    await pass(600);
    expect(received.position).toBe(at(3));
    const { reads } = state;
    await pass(20_000);
    check.passSoon(at(3));
    await pass(20_000);
    expect(state.reads).toBe(reads);
  });

  test('is read for ten seconds at most for a position that does not exist', async () => {
    const { state, check, pass } = scene();
    check.passSoon(at(9));
    await pass(60_000);
    expect(state.reads).toBe(20);
  });

  test('passes nothing if its categories changed during the read', async () => {
    const { state, check, received, append } = scene();
    append('guest-1');
    const read = check.read();
    state.categories = [...CATEGORIES, 'guest'];
    await read;
    expect(received.position).toBe(at(1));
  });

  test('whose subscription delivers nothing for a second is reopened', async () => {
    const { state, check, append, logged, pass } = scene();
    append('booking-1');
    await check.read();
    await pass(999);
    expect(state.reopened).toBe(0);
    await pass(1);
    expect(state.reopened).toBe(1);
    expect(logged.lines).toEqual([
      {
        level: 'warn',
        happening: 'subscription to the event store is silent: it is replaced',
        facts: { after: '1', missing: '2' },
      },
    ]);
  });

  test('that moves, or receives the event in time, is not reopened', async () => {
    const { state, check, received, append, pass } = scene();
    append('booking-1', 'booking-2');
    await check.read();
    await pass(900);
    received.set(at(2));
    await pass(900);
    await check.read();
    await pass(900);
    received.set(at(3));
    await pass(900);
    expect(state.reopened).toBe(0);
  });

  test('is reopened ever more rarely while that does not help', async () => {
    const { state, check, append, pass } = scene();
    append('booking-1');
    for (let second = 0; second < 60; second++) {
      void check.read();
      await pass(1_000);
    }
    expect(state.reopened).toBe(5);
  });

  test('that no reader has joined yet is not compared: the store is asked for its head', async () => {
    const { state, check } = scene();
    state.categories = [];
    expect(await check.read()).toBe(true);
    expect(state.reads).toBe(0);
  });

  test('of a log without an event for its readers passes the events of others', async () => {
    const { check, received, append } = scene(START);
    append('voucherkey-ring');
    check.passSoon(at(2));
    expect(await check.read()).toBe(true);
    expect(received.position).toBe(at(2));
  });
});
