import { expect } from 'bun:test';
import fc from 'fast-check';
import { START } from '../../../src/eventsourcing/message.ts';
import { categoryOf, type EventStore, NO_STREAM, type StoredEvent } from '../../../src/ports/event-store.ts';
import { eventsIn, eventsOf, follow, newEvents } from './scene.ts';

const STREAMS = ['a-1', 'a-2', 'ab-1', 'b-1', 'guest-1', 'guest-2'] as const;

const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      stream: fc.constantFrom(...STREAMS),
      count: fc.integer({ min: 1, max: 4 }),
      /** Difference between the expected and the actual revision. */
      off: fc.constantFrom(0, 0, 0, -1, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('erase' as const), stream: fc.constantFrom('guest-1', 'guest-2') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
const anyQuestion = fc.record({
  /** Index of the start among all positions, including erased ones. */
  place: fc.nat(),
  categories: fc.subarray(['a', 'ab', 'b', 'guest'], { minLength: 1 }),
  maxBatch: fc.integer({ min: 1, max: 9 }),
});

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** A simple model of the store. */
class Model {
  readonly erased = new Set<string>();
  readonly positions: StoredEvent['position'][] = [START];
  log: StoredEvent[] = [];

  of(stream: string): StoredEvent[] {
    return this.log.filter((event) => event.stream === stream);
  }

  read(stream: string): Awaited<ReturnType<EventStore['read']>> {
    if (this.erased.has(stream)) return { kind: 'erased' };
    const events = this.of(stream);
    return events.length === 0 ? { kind: 'no-stream' } : { kind: 'events', events, upTo: events.length - 1 };
  }
}

async function append(store: EventStore, model: Model, step: Extract<Step, { do: 'append' }>): Promise<void> {
  const { stream, count, off } = step;
  const actual = model.of(stream).length - 1;
  const expected = Math.max(NO_STREAM, actual + off);
  const outcome = await store.append(stream, expected, newEvents(count));
  if (model.erased.has(stream)) return expect(outcome).toStrictEqual({ kind: 'erased' });
  if (expected !== actual) return expect(outcome).toStrictEqual({ kind: 'wrong-revision', actual });
  const added = await eventsOf(store, stream, actual + 1);
  const position = added.at(-1)?.position ?? START;
  expect(outcome).toStrictEqual({ kind: 'appended', revision: actual + count, position });
  model.log.push(...added);
  model.positions.push(...added.map((event) => event.position));
}

/** A separate store for one history. */
export type HistoryPlace = AsyncDisposable & {
  readonly store: EventStore;
  /** Reopens the store with the same events. */
  reopen(): Promise<EventStore>;
  /** Removes erased data, if the store does so later. */
  settle(): Promise<void>;
};

/** Checks random histories: streams and log must equal the model. @throws with a history that violates this */
export async function checkHistories(open: () => Promise<HistoryPlace>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 40, size: 'max' }),
      fc.array(anyQuestion, { minLength: 3, maxLength: 3 }),
      async (steps, questions) => {
        await using place = await open();
        const model = new Model();
        let { store } = place;
        for (const step of steps) {
          if (step.do === 'append') await append(store, model, step);
          else if (step.do === 'erase') {
            await store.erase(step.stream);
            model.erased.add(step.stream);
            model.log = model.log.filter(({ stream }) => stream !== step.stream);
          } else {
            store = await place.reopen();
          }
        }
        await place.settle();
        expect(model.positions).toStrictEqual([...new Set(model.positions)].sort((left, right) => left - right));
        for (const stream of STREAMS) {
          expect(await store.read(stream)).toStrictEqual(model.read(stream));
          expect(await store.last(stream)).toStrictEqual(model.of(stream).at(-1) ?? null);
        }
        for (const { place: at, categories, maxBatch } of questions) {
          const after = model.positions[at % model.positions.length] ?? START;
          const expected = model.log.filter(
            (event) => event.position > after && categories.includes(categoryOf(event.stream)),
          );
          if (after === (await store.head())) continue;
          const batches = await follow(store, { after, categories, maxBatch }, (_, { caughtUp }) => caughtUp);
          expect(eventsIn(batches)).toStrictEqual(expected);
          expect(batches.at(-1)?.upTo).toBe(await store.head());
        }
      },
    ),
    { numRuns },
  );
}
