import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Attribution, BookingEvent, KeyId } from '../../src/domain/booking/booking.ts';
import { type Segment, segmentOf } from '../../src/domain/recommendation/profile.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { Circumstances, ConversionCell, ConversionCounts } from './read-model.ts';

/** One document per cell, under what it counts. A booking that no recommendation led to is no conversion. */
export const conversionsProjection: Projection<ConversionCell, BookingEvent | RecommendationEvent> = {
  name: 'conversions',
  version: 1,
  categories: ['booking', 'recommendation'],
  indexes: [['day'], ['city', 'day'], ['activityId', 'day']],
  keysOf: (event) => touched(event).map(({ id }) => id),
  evolve(doc, event, id) {
    const cell = touched(event).find((each) => each.id === id);
    if (cell === undefined) throw new Error(`${event.type} of ${event.stream} does not count in ${id}`);
    const before = doc ?? { ...cell.circumstances, activityId: cell.activityId, ...NOTHING };
    return cell.counts.reduce((sum, count) => ({ ...sum, [count]: sum[count] + 1 }), before);
  },
};

/** A cell that an event adds one to, and in which of its counts. */
type Touched = {
  readonly id: string;
  readonly circumstances: Circumstances;
  readonly activityId: ActivityId | null;
  readonly counts: readonly (keyof ConversionCounts)[];
};

const NOTHING: ConversionCounts = { requests: 0, recommended: 0, booked: 0, confirmed: 0, visited: 0, cancelled: 0 };

function touched(event: BookingEvent | RecommendationEvent): readonly Touched[] {
  switch (event.type) {
    case 'RecommendationServed': {
      const { at, keyId, city, profile, ranked, shown } = event.data;
      const circumstances = circumstancesOf(at, keyId, city, segmentOf(profile));
      const showing = ranked.ids.slice(0, shown).map((activityId) => touch(circumstances, activityId, ['recommended']));
      return [touch(circumstances, null, ['requests']), ...showing];
    }
    case 'BookingConfirmed': {
      const { at, keyId, city, activityId, attribution } = event.data;
      if (attribution === null) return [];
      return [touch(circumstancesOf(at, keyId, city, attribution.segment), activityId, ['booked', 'confirmed'])];
    }
    case 'VisitVerified': {
      const { verifiedAtMs, keyId, city, activityId, attribution } = event.data;
      if (attribution === null) return [];
      const at = new Date(verifiedAtMs).toISOString();
      return [touch(circumstancesOf(at, keyId, city, attribution.segment), activityId, ['visited'])];
    }
    case 'ChargeRecorded':
    case 'VoucherIssued':
    case 'ClaimAbandoned':
    case 'VoucherMailed':
    case 'VoucherMailFailed':
      return [];
    default:
      return unreachable(event);
  }
}

function circumstancesOf(
  at: string,
  keyId: KeyId | null,
  city: CityName,
  segment: Attribution['segment'] | Segment,
): Circumstances {
  const { travelType, budget, ageGroup } = segment ?? { travelType: null, budget: null, ageGroup: null };
  return { day: at.slice(0, 'YYYY-MM-DD'.length), keyId, city, travelType, budget, ageGroup };
}

/** The id says what the cell counts, with nothing between the slashes for null; none of the names has a slash in it. */
function touch(circumstances: Circumstances, activityId: ActivityId | null, counts: Touched['counts']): Touched {
  const { day, keyId, city, travelType, budget, ageGroup } = circumstances;
  const id = [day, keyId, city, travelType, budget, ageGroup, activityId].map((part) => part ?? '').join('/');
  return { id, circumstances, activityId, counts };
}
