/** Plain JSON: values that a round trip through text does not change. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An event of the domain: a past-tense type and its data. The events of a stream are a closed union of these. */
export type DomainEvent = { readonly type: string; readonly data: object };

/** The place of an event in the log of all events. Opaque: each engine makes its own numbers. Their order is log order. */
export type Position = number & { readonly __brand: 'Position' };

/** The start of the log, where a subscription without a checkpoint begins. Sorts before every position. */
export const START: Position = 0 as Position;

/** How an engine writes positions where they are stored or shown. Bytes that were stored once never change. */
export type PositionForm = {
  /** At a fixed width, so that text order is log order; '' for `START`. */
  readonly format: (position: Position) => string;
  /** Null if the text is not a position of this engine. */
  readonly parse: (text: string) => Position | null;
};

/** @throws RangeError if the stored text is not a position of the engine */
export function storedPosition(text: string, { parse }: PositionForm): Position {
  const position = parse(text);
  if (position === null)
    throw new RangeError(`"${text}" is no position of this event store: was it stored on another?`);
  return position;
}

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
