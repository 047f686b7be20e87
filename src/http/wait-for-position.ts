import type { Position } from '../eventsourcing/message.ts';
import type { HttpContext } from './context.ts';

/** Maximum time that a query waits for the caller's position. After that it returns what it has. */
const MAX_WAIT_MS = 2_000;

/** Waits until a projection has passed the position in `X-Position`, if the caller sent one. */
export async function waitForPosition(
  projection: string,
  headers: Headers,
  { waitFor }: Pick<HttpContext, 'waitFor'>,
): Promise<void> {
  const position = positionIn(headers);
  if (position !== null) await waitFor(projection, position, MAX_WAIT_MS);
}

/** Waits for this node's in-memory data for recommendations instead. */
export async function waitForCandidates(
  headers: Headers,
  { candidatesPassed }: Pick<HttpContext, 'candidatesPassed'>,
): Promise<void> {
  const position = positionIn(headers);
  if (position !== null) await candidatesPassed(position, MAX_WAIT_MS);
}

function positionIn(headers: Headers): Position | null {
  const position = headers.get('x-position');
  // Ignores a malformed position: a caller's mistake must not delay the query.
  return position === null || !/^[\d/-]{1,64}$/.test(position) ? null : (position as Position);
}
