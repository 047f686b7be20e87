import type { Position } from '../eventsourcing/message.ts';
import type { HttpContext } from './context.ts';

/** What a query reads: a projection, or this node's in-memory data for recommendations. */
export type Followed = Parameters<HttpContext['waitFor']>[0] | 'candidates';

/** Maximum time that a query waits for the caller's position. After that it returns what it has. */
const MAX_WAIT_MS = 2_000;

/** Waits until all of them have passed the position in `X-Position`, if the caller sent one. */
export async function waitForPosition(
  followed: readonly Followed[],
  headers: Headers,
  context: Pick<HttpContext, 'positions' | 'waitFor' | 'candidatesPassed'>,
): Promise<void> {
  const sent = headers.get('x-position');
  const position = sent === null ? null : context.positions.parse(sent);
  // Ignores a malformed position: a caller's mistake must not delay the query.
  if (position !== null) await passedBy(followed, position, context);
}

/** Waits until all of them have passed a position, for a bounded time. */
export async function passedBy(
  followed: readonly Followed[],
  position: Position,
  { waitFor, candidatesPassed }: Pick<HttpContext, 'waitFor' | 'candidatesPassed'>,
): Promise<void> {
  const waits = followed.map((each) =>
    each === 'candidates' ? candidatesPassed(position, MAX_WAIT_MS) : waitFor(each, position, MAX_WAIT_MS),
  );
  await Promise.all(waits);
}
