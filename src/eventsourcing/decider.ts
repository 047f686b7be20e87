import type { DomainEvent } from './message.ts';

/** Events to append (none for a command that was accepted before), or a rejection as a value. */
export type Decision<E, R> =
  | { readonly kind: 'accepted'; readonly events: readonly E[] }
  | { readonly kind: 'rejected'; readonly rejection: R };

/**
 * The rules of one kind of stream. `decide` is pure and total: time, ids and randomness come with the command, and the same
 * command decided twice yields no event the second time. `evolve` copies facts and never rejects.
 * (The pattern is Jérémie Chassaing's decider.)
 */
export type Decider<Command, State, E extends DomainEvent, Rejection> = {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => Decision<E, Rejection>;
  readonly evolve: (state: State, event: E) => State;
};

/** Accept, with the events that follow. */
export function accept<E>(...events: readonly E[]): Decision<E, never> {
  return { kind: 'accepted', events };
}

/** Reject. A rejection is an answer, not a fault. */
export function reject<R>(rejection: R): Decision<never, R> {
  return { kind: 'rejected', rejection };
}

/** The state after the given events, from the beginning or from an earlier state. */
export function fold<State, E extends DomainEvent>(
  decider: Pick<Decider<never, State, E, unknown>, 'initial' | 'evolve'>,
  events: Iterable<E>,
  from: State = decider.initial,
): State {
  let state = from;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}
