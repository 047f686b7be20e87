/** Plain JSON: values that a round trip through text does not change. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An event of the domain: a past-tense type and its data. The events of a stream are a closed union of these. */
export type DomainEvent = { readonly type: string; readonly data: object };

/**
 * The place of an event in the log of all events. Opaque. Its text order is log order, since every engine writes it at a
 * fixed width.
 */
export type Position = string & { readonly __brand: 'Position' };

/** The start of the log, where a subscription without a checkpoint begins. Sorts before every position. */
export const START: Position = '' as Position;

/** Why an event exists: the request, the event or command that caused it, the actor, and the time (ISO 8601 UTC). */
export type Cause = {
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly by: string;
  readonly at: string;
};

/** A stored event; `revision` counts from 0 in its stream. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
  readonly cause: Cause;
};

/** The id in the name of a stream: what follows the first `-`. */
export function streamId(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** The last of these positions; null without any. */
export function latest(positions: Iterable<Position | null>): Position | null {
  let last: Position | null = null;
  for (const position of positions) if (position !== null && (last === null || position > last)) last = position;
  return last;
}

/** The default branch of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
