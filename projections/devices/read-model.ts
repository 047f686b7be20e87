import type { VenueId } from '../../src/domain/activity/activity.ts';
import type { DeviceId, Mode } from '../../src/domain/ids.ts';

/** A gate device of a venue. */
export type DeviceDocument = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly mode: Mode;
  /** It may not verify vouchers for now. */
  readonly paused: boolean;
  /** SHA-256 of the device key, hex. */
  readonly hash: string;
};
