import { describe, expect, test } from 'bun:test';
import { streamHandler } from '../../../src/actors/entity.ts';
import { FairTurns } from '../../../src/actors/fair-turns.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { ScriptedEventStore } from '../../support/scripted-event-store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { QUIET } from './scripted-behavior.ts';
import { decodedTallies, tallyCodec, tallyDecider } from './tally.ts';

const APPEND_MS = 10;
const DEADLINE_MS = 10_000;

describe('a gap between appends in a row', () => {
  /** Start times of consecutive appends, each `tookMs` long. */
  async function appendTimes(appends: number, tookMs: number, pauseMs = 0): Promise<readonly number[]> {
    const clock = movedClock(0);
    const turns = new FairTurns(clock);
    const times: number[] = [];
    for (let n = 0; n < appends; n++) {
      const gap = turns.gap();
      while (clock.waiting > 0) clock.advance(1);
      await gap;
      times.push(clock.nowMs());
      clock.advance(tookMs);
      turns.appended(times.at(-1) ?? 0);
      clock.advance(pauseMs);
    }
    return times;
  }

  test('comes after eight appends and lasts as long as four', async () => {
    const times = await appendTimes(17, APPEND_MS);
    expect([times[7], times[8], times[15], times[16]]).toEqual([70, 120, 190, 240]);
  });

  test('is not added where there are gaps already', async () => {
    const times = await appendTimes(33, APPEND_MS, 40);
    expect(times.at(-1)).toBe(32 * 50);
  });

  test('lasts a second at most', async () => {
    const times = await appendTimes(9, 1_000);
    expect(times.at(-1)).toBe(9_000);
  });
});

describe('two nodes that append to one stream of a slow store', () => {
  test('both succeed, though one of them always has more to append', async () => {
    using directory = temporaryDirectory();
    const real = openEventStore(directory.file('events.db'));
    const clock = movedClock();
    const [busy, other] = [1, 2].map((seed) => {
      const system = createActorSystem({ clock, log: collectedLog(), limits: QUIET });
      const context = { store: decodedTallies(slow(real)), ids: seededIds(seed), system };
      return streamHandler({ decider: tallyDecider, codec: tallyCodec, maxBatch: 1 }, context);
    });
    if (busy === undefined || other === undefined) throw new Error('there are two nodes');
    const add = (node: typeof busy, command: string) =>
      node.handle('1', { command, amount: 0 }, SOME_CAUSE, clock.nowMs() + DEADLINE_MS);
    let answered: Awaited<ReturnType<typeof add>> | null = null;
    const feed = async (caller: number): Promise<void> => {
      for (let n = 0; answered === null; n++) await add(busy, `busy ${caller} ${n}`);
    };
    // Two callers, so that one waits in the mailbox whenever the other one was answered.
    const fed = [feed(1), feed(2)];
    for (let n = 0; n < 100; n++) await step();
    const waiting = add(other, 'other').then((reply) => {
      answered = reply;
      return reply;
    });
    while (answered === null) await step();
    expect(await waiting).toMatchObject({ kind: 'accepted' });
    const ended = Promise.all(fed).then(() => true);
    while (!(await Promise.race([ended, step()]))) continue;
    await real.close();

    async function step(): Promise<false> {
      clock.advance(1);
      await new Promise(setImmediate);
      return false;
    }

    /** Another node's way to the store: a read, and an append before it has its effect, take their time. */
    function slow(store: EventStore): EventStore {
      const scripted = new ScriptedEventStore(store);
      const append = scripted.append.bind(scripted);
      const read = scripted.read.bind(scripted);
      scripted.append = async (...args) => {
        await clock.until(clock.nowMs() + APPEND_MS);
        return append(...args);
      };
      scripted.read = async (...args) => {
        await clock.until(clock.nowMs() + APPEND_MS);
        return read(...args);
      };
      return scripted;
    }
  }, 60_000);
});
