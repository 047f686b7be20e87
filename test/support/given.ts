import { expect } from 'bun:test';
import { EMBEDDED_POSITIONS } from '../../src/adapters/sqlite/event-rows.ts';
import { type Decider, type Decision, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent, Position, Recorded } from '../../src/eventsourcing/message.ts';
import type { ProcessManager } from '../../src/eventsourcing/process-manager.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import { categoryOf } from '../../src/ports/event-store.ts';
import type { StoredDocument } from '../../src/ports/read-model-store.ts';
import { foldBatch } from '../../src/runtime/apply-events.ts';
import { roomFor } from './room.ts';

/**
 * The language of this project's tests.
 *
 *     given(decider, [event, …]).when(command).then([event, …])      … .thenRejected(rejection)      … .thenNothing()
 *     givenEvents(projection, recorded, …).thenDocument(id, document)
 *     givenEvents(processManager, recorded, …).thenDue(nowMs, [command, …])
 *
 * Values are compared as a whole. What every decider, projection and process manager owes is looked at on the way,
 * whatever the test is about: a command obeyed once adds nothing the second time; an event delivered twice counts once, and
 * events folded together make what they make one by one.
 */
export function given<C, S, E extends DomainEvent, R>(
  decider: Decider<C, S, E, R>,
  events: readonly E[],
): { readonly when: (command: C) => Decided<E, R> } {
  const state = fold(decider, events);
  return { when: (command) => decided(decider, state, command) };
}

export type Decided<E, R> = {
  /** Accepted with exactly these events; the same command again, on the new state, adds none. */
  then(events: readonly E[]): void;
  thenRejected(rejection: R): void;
  /** Accepted without an event: a repeated command. */
  thenNothing(): void;
};

function decided<C, S, E extends DomainEvent, R>(decider: Decider<C, S, E, R>, state: S, command: C): Decided<E, R> {
  const decision = decider.decide(command, state);
  const is = (expected: Decision<E, R>): void => expect<Decision<E, R>>(decision).toStrictEqual(expected);
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- part of the test language; a decision is pure and never awaited
    then(events) {
      is({ kind: 'accepted', events });
      const again = decider.decide(command, fold(decider, events, state));
      if (again.kind === 'accepted') expect(again.events).toStrictEqual([]);
    },
    thenRejected: (rejection) => is({ kind: 'rejected', rejection }),
    thenNothing: () => is({ kind: 'accepted', events: [] }),
  };
}

export type Folded<Doc> = {
  /** The document under an id, null where there is none or it was deleted. */
  thenDocument(id: string, document: Doc | null): Folded<Doc>;
};

export type Pending<C> = {
  /** The due commands at a time (ms since the epoch), in this order. */
  thenDue(nowMs: number, commands: readonly C[], limit?: number): Pending<C>;
  /** Continues after these commands were executed. */
  whenDone(...commands: readonly C[]): Pending<C>;
  /** The oldest event that is still needed; null if nothing is open. */
  thenOldestOpen(position: Position | null): Pending<C>;
};

export function givenEvents<Doc extends object, E extends DomainEvent>(
  projection: Projection<Doc, E>,
  ...events: readonly Recorded<E>[]
): Folded<Doc>;
export function givenEvents<S, E extends DomainEvent, C>(
  manager: ProcessManager<S, E, C>,
  ...events: readonly Recorded<E>[]
): Pending<C>;
export function givenEvents<Doc extends object, S, E extends DomainEvent, C>(
  subject: Projection<Doc, E> | ProcessManager<S, E, C>,
  ...events: readonly Recorded<E>[]
): Folded<Doc> | Pending<C> {
  for (const { stream } of events) expect(subject.categories).toContain(categoryOf(stream));
  return 'react' in subject
    ? pendingOf(
        subject,
        events.reduce((state, event) => subject.react(state, event), subject.initial),
      )
    : folded(subject, events);
}

function folded<Doc extends object, E extends DomainEvent>(
  projection: Projection<Doc, E>,
  events: readonly Recorded<E>[],
): Folded<Doc> {
  const documents = new Map<string, StoredDocument>();
  for (const event of events) {
    for (const { id, doc, position } of foldBatch(projection, [event], documents, EMBEDDED_POSITIONS)) {
      documents.set(id, { id, doc, position });
    }
    expect(foldBatch(projection, [event], documents, EMBEDDED_POSITIONS)).toStrictEqual([]);
  }
  expect(foldBatch(projection, events, documents, EMBEDDED_POSITIONS)).toStrictEqual([]);
  const together = foldBatch(projection, events, new Map(), EMBEDDED_POSITIONS).map(({ id, doc, position }) => ({
    id,
    doc,
    position,
  }));
  expect(together).toStrictEqual([...documents.values()]);
  const then: Folded<Doc> = {
    thenDocument(id, document) {
      expect(documents.get(id)?.doc ?? null).toStrictEqual(document);
      return then;
    },
  };
  return then;
}

function pendingOf<S, E extends DomainEvent, C>(manager: ProcessManager<S, E, C>, state: S): Pending<C> {
  const then: Pending<C> = {
    thenDue(nowMs, commands, limit = 1_000) {
      expect(manager.due(state, nowMs, roomFor(limit))).toStrictEqual(commands);
      return then;
    },
    whenDone: (...commands) =>
      pendingOf(
        manager,
        commands.reduce((rest, command) => manager.done(rest, command), state),
      ),
    thenOldestOpen(position) {
      expect(manager.oldestOpen(state)).toBe(position);
      return then;
    },
  };
  return then;
}
