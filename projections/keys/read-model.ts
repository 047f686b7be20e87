import type { HotelId } from '../../src/domain/activity/activity.ts';
import type { KeyLimits, KeySettings, KeyValue, ReplacedValue } from '../../src/domain/apikey/apikey.ts';
import type { KeyId, Mode } from '../../src/domain/ids.ts';

/** An API key for authentication and the operator. Only the hash of the key value is stored. */
export type KeyDocument = KeySettings &
  KeyValue & {
    readonly keyId: KeyId;
    readonly mode: Mode;
    readonly limits: KeyLimits;
    readonly hotelIds: readonly HotelId[];
    readonly exploration: boolean;
    /** The previous value; kept after it has expired. */
    readonly replaced: ReplacedValue | null;
    readonly active: boolean;
    /** ISO 8601 UTC. */
    readonly createdAt: string;
  };
