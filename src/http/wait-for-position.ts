import type { HttpContext } from './context.ts';

/** What a query reads: a projection, or this node's in-memory data for recommendations. */
export type Followed = Parameters<HttpContext['waitFor']>[0] | 'candidates';

/** Maximum time that a query waits for the caller's position. After that it returns what it has. */
const MAX_WAIT_MS = 2_000;

/** Waits until all of them have passed the position in `X-Position`, if the caller sent one. */
export async function waitForPosition(
  followed: readonly Followed[],
  headers: Headers,
  { positions, waitFor, candidatesPassed }: Pick<HttpContext, 'positions' | 'waitFor' | 'candidatesPassed'>,
): Promise<void> {
  const sent = headers.get('x-position');
  const position = sent === null ? null : positions.parse(sent);
  // Ignores a malformed position: a caller's mistake must not delay the query.
  if (position === null) return;
  const waits = followed.map((each) =>
    each === 'candidates' ? candidatesPassed(position, MAX_WAIT_MS) : waitFor(each, position, MAX_WAIT_MS),
  );
  await Promise.all(waits);
}
