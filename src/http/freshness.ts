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
  const position = headers.get('x-position');
  // Anything else cannot be a position, and a caller's mistake must not make the query slow.
  if (position === null || !/^[\d/-]{1,64}$/.test(position)) return;
  await waitFor(projection, position as Position, FRESHNESS_MS);
}
