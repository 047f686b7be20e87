import type { ChangedKey } from '../../application/key/manage-keys.ts';
import type { Refused } from '../../application/refusal.ts';
import type { HttpContext } from '../context.ts';

/** Waits until this node authenticates with the changed key: the change is in force when the caller gets the answer. */
export async function appliedHere<Changed extends ChangedKey>(
  changed: Changed | Refused,
  { passed }: Pick<HttpContext, 'passed'>,
): Promise<Changed | Refused> {
  if (changed.kind !== 'refused' && changed.position !== null) await passed('keys', changed.position);
  return changed;
}
