import { randomFillSync, randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/ids.ts';

/** Random bytes are read in blocks: a system call for a few bytes costs as much as one for thousands. */
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
    const secret = new Uint8Array(bytes);
    for (let index = 0; index < bytes; index++, used++) {
      secret[index] = pool[used] ?? 0;
      // Overwrite returned bytes.
      pool[used] = 0;
    }
    return secret;
  },
};
