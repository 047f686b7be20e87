import type { ActivityId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Category, TravelType } from '../activity/vocabulary.ts';
import type { BookingId, DeviceId, KeyId, LogId } from '../ids.ts';

/** A verified visit from which the ranking learns. Contains no personal data. */
export type VisitEvidence = {
  readonly bookingId: BookingId;
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly category: Category;
  readonly keyId: KeyId | null;
  readonly deviceId: DeviceId | null;
  /** Ms since the epoch. */
  readonly verifiedAtMs: number;
  /** Null without a recommendation. */
  readonly travelType: TravelType | null;
  /**
   * The shown activities in order, and for each the expected visits at usual strength in ten-thousandths; null for a
   * walk-in.
   */
  readonly answer: {
    readonly logId: LogId;
    readonly ids: readonly ActivityId[];
    readonly expected: readonly number[];
    /** Version of the curve of places. */
    readonly places: string;
  } | null;
};

/** These types are the storage format. */
export type EvidenceEvent =
  | { readonly type: 'VisitCredited'; readonly data: { readonly evidence: VisitEvidence; readonly at: string } }
  /** Not counted: the answer's visit to this activity counts already, or an exclusion covers it. */
  | {
      readonly type: 'VisitPassedOver';
      readonly data: {
        readonly bookingId: BookingId;
        readonly activityId: ActivityId;
        readonly why: 'counted' | 'excluded' | 'disputed';
        readonly at: string;
      };
    }
  | {
      readonly type: 'VisitWithdrawn';
      readonly data: { readonly evidence: VisitEvidence; readonly why: 'voided' | 'excluded'; readonly at: string };
    };
