import type { VenueId } from '../../src/domain/activity/activity.ts';
import type { DeviceId, Mode } from '../../src/domain/ids.ts';

/** A gate device that may verify vouchers of its venue. */
export type DeviceDocument = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  readonly mode: Mode;
  /** SHA-256 of the device key, hex. */
  readonly hash: string;
};
