import type { KeySettings, KeyValue, ReplacedValue } from '../../src/domain/apikey/apikey.ts';
import type { KeyId } from '../../src/domain/booking/booking.ts';

/** An API key as authentication and the operator need it. The key value is not known to anybody. */
export type KeyDocument = KeySettings &
  KeyValue & {
    readonly keyId: KeyId;
    /** The value that was replaced last, its end passed or not. */
    readonly replaced: ReplacedValue | null;
    readonly active: boolean;
    /** ISO 8601 UTC. */
    readonly createdAt: string;
  };
