import { randomFillSync, randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/ids.ts';

/** Random bytes are drawn so many at a time: a call for a few of them costs as much as one for thousands. */
const POOL_BYTES = 8_192;

const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** Identifiers and secrets from the operating system's random source. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  secret(bytes) {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const secret = Uint8Array.prototype.slice.call(pool, used, used + bytes);
    // What was given out is not kept.
    pool.fill(0, used, used + bytes);
    used += bytes;
    return secret;
  },
};
