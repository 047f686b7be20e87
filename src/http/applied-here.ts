import type { Refused } from '../application/refusal.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { HttpContext } from './context.ts';

type View = Parameters<HttpContext['passed']>[0];

/** Waits until this node's view has a change: it is in force when the caller gets the answer. */
export async function appliedHere<Changed extends { readonly kind: string; readonly position: Position | null }>(
  view: View,
  changed: Changed | Refused,
  { passed }: Pick<HttpContext, 'passed'>,
): Promise<Changed | Refused> {
  if (!('refusal' in changed) && changed.position !== null) await passed(view, changed.position);
  return changed;
}
