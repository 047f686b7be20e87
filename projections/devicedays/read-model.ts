import type { LocalDate, VenueId } from '../../src/domain/activity/activity.ts';
import type { DeviceId } from '../../src/domain/ids.ts';
import type { Figures } from '../../src/domain/venue/device-figures.ts';

/** The visits that a device recorded on one day, the city's local date of the scan. */
export type DeviceDay = Figures & {
  readonly deviceId: DeviceId;
  readonly venueId: VenueId;
  readonly day: LocalDate;
  /** Whether a figure is unusual. */
  readonly unusual: boolean;
  /** Visits by minute of the UTC day, from 0; other minutes have none. */
  readonly minutes: Readonly<Record<number, number>>;
};
