import type { Position } from '../eventsourcing/message.ts';
import type { HttpContext } from './context.ts';

/** How long a query waits for what its caller has seen before it serves what there is. */
const FRESHNESS_MS = 2_000;

/** Waits until a projection has passed the position that the caller sends back in `X-Position`, where it sends one. */
export async function freshEnough(
  projection: string,
  headers: Headers,
  { waitFor }: Pick<HttpContext, 'waitFor'>,
): Promise<void> {
  const position = positionIn(headers);
  if (position !== null) await waitFor(projection, position, FRESHNESS_MS);
}

/** The same for what recommend knows, which this node holds in memory. */
export async function freshCandidates(
  headers: Headers,
  { candidatesPassed }: Pick<HttpContext, 'candidatesPassed'>,
): Promise<void> {
  const position = positionIn(headers);
  if (position !== null) await candidatesPassed(position, FRESHNESS_MS);
}

function positionIn(headers: Headers): Position | null {
  const position = headers.get('x-position');
  // Anything else cannot be a position, and a caller's mistake must not make the query slow.
  return position === null || !/^[\d/-]{1,64}$/.test(position) ? null : (position as Position);
}
