/** What can stand in an event: plain JSON, nothing that a round trip through text would change. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An event as the domain speaks of it: a past-tense name and its facts. A closed union of these is a stream's language. */
export type DomainEvent = { readonly type: string; readonly data: object };

/**
 * Where an event stands in the log of all events. Opaque: only its text order means anything, and text order is log
 * order, because every engine writes it at a fixed width.
 */
export type Position = string & { readonly __brand: 'Position' };

/** Before every event: the place a subscription starts at when it has no checkpoint. Sorts before every position. */
export const START: Position = '' as Position;

/** Why an event exists: which request, which event or command before it, who, and when (ISO 8601 UTC). */
export type Cause = {
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly by: string;
  readonly at: string;
};

/** An event together with its place: `revision` counts from 0 within its stream. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
  readonly cause: Cause;
};

/** The end of an exhaustive switch: a value that the types say cannot be. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
