import type { ChangedKey } from '../../application/key/manage-keys.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import type { Headers } from '../envelope.ts';

/** Waits until this node authenticates with the changed key: the change is in force when the caller gets the answer. */
export async function appliedHere(done: ChangedKey, { passed }: Pick<HttpContext, 'passed'>): Promise<Headers> {
  if (done.position !== null) await passed('keys', done.position);
  return commandHeaders(done);
}
