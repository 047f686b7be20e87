import { randomBytes, randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/ids.ts';

/** Identifiers and secrets from the operating system's random source. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  secret: (bytes) => randomBytes(bytes),
};
