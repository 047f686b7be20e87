import type { KeySettings } from '../../src/domain/apikey/apikey.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';

/** An API key as authentication and the operator need it. The key value is not known to anybody. */
export type KeyDocument = KeySettings & {
  readonly keyId: KeyId;
  /** SHA-256 of the key value, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly active: boolean;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
};
