import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { Attribution, BookingEvent, KeyId } from '../../src/domain/booking/booking.ts';
import { type Segment, segmentOf } from '../../src/domain/recommendation/profile.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { Circumstances, ConversionCell, ConversionCounts } from './read-model.ts';

/** One document per cell, under what it counts. A booking that no recommendation led to is no conversion. */
export const conversionsProjection: Projection<ConversionCell, BookingEvent | RecommendationEvent> = {
  name: 'conversions',
  version: 3,
  categories: ['booking', 'recommendation'],
  indexes: [['day'], ['city', 'day'], ['activityId', 'day']],
  keysOf(event) {
    const adds = countedIn(event);
    if (adds === null) return [];
    const prefix = prefixOf(adds.circumstances);
    return adds.activityIds.map((activityId) => `${prefix}/${activityId ?? ''}`);
  },
  evolve: (doc, event, id) => counted(doc, [event], id),
  evolveAll: counted,
};

type Event = Recorded<BookingEvent | RecommendationEvent>;

/** Every answer touches eleven cells, so what many events add is added to one copy of each. */
function counted(doc: ConversionCell | null, events: readonly Event[], id: string): ConversionCell | null {
  const [first] = events;
  if (first === undefined) return doc;
  const activityId = id.slice(id.lastIndexOf('/') + 1) as ActivityId | '';
  const cell: { -readonly [Field in keyof ConversionCell]: ConversionCell[Field] } =
    doc === null ? emptyCell(first, activityId || null) : { ...doc };
  for (const event of events) for (const count of countsOf(event, activityId)) cell[count]++;
  return cell;
}

function emptyCell(event: Event, activityId: ActivityId | null): ConversionCell {
  const adds = countedIn(event);
  if (adds === null) throw new Error(`${event.type} of ${event.stream} counts in no cell`);
  return { ...adds.circumstances, activityId, ...NOTHING };
}

/** What an event adds to: one cell for each of the activities, null for the one of the answer itself. */
type Counted = {
  readonly circumstances: Circumstances;
  readonly activityIds: readonly (ActivityId | null)[];
};

const NOTHING: ConversionCounts = { requests: 0, recommended: 0, booked: 0, confirmed: 0, visited: 0, cancelled: 0 };

function countedIn(event: Event): Counted | null {
  switch (event.type) {
    case 'RecommendationServed': {
      const { at, keyId, city, profile, ranked, shown } = event.data;
      const circumstances = circumstancesOf(at, keyId, city, segmentOf(profile));
      return { circumstances, activityIds: [null, ...ranked.ids.slice(0, shown)] };
    }
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'BookingConfirmed':
    case 'BookingCancelled': {
      const { keyId, city, activityId, attribution } = event.data;
      if (attribution === null || bookingCounts(event).length === 0) return null;
      const circumstances = circumstancesOf(happenedAt(event), keyId, city, attribution.segment);
      return { circumstances, activityIds: [activityId] };
    }
    case 'VisitVerified': {
      const { verifiedAtMs, keyId, city, activityId, attribution } = event.data;
      if (attribution === null) return null;
      const at = new Date(verifiedAtMs).toISOString();
      return { circumstances: circumstancesOf(at, keyId, city, attribution.segment), activityIds: [activityId] };
    }
    default:
      return null;
  }
}

/** What is confirmed after it had been known for a while says in `at` when it was asked for. */
function happenedAt({ type, data, cause }: Extract<Event, { data: { at: string } }>): string {
  return type === 'BookingConfirmed' && data.follows !== null ? cause.at : data.at;
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

type Count = keyof ConversionCounts;

function countsOf(event: BookingEvent | RecommendationEvent, activityId: ActivityId | ''): readonly Count[] {
  if (event.type !== 'RecommendationServed') return bookingCounts(event);
  return activityId === '' ? ANSWERED : SHOWN;
}

/** A booking is booked once, by the event that makes it known, whichever that is. */
function bookingCounts(event: BookingEvent): readonly Count[] {
  switch (event.type) {
    case 'BookingStarted':
      return BOOKED;
    case 'BookingPlacedOnRequest':
      return event.data.follows === null ? BOOKED : NONE;
    case 'BookingConfirmed':
      return event.data.follows === null ? BOOKED_AT_ONCE : CONFIRMED;
    case 'BookingCancelled':
      return CANCELLED;
    case 'VisitVerified':
      return VISITED;
    default:
      return NONE;
  }
}

const NONE = [] as const;
const BOOKED = ['booked'] as const;
const BOOKED_AT_ONCE = ['booked', 'confirmed'] as const;
const CONFIRMED = ['confirmed'] as const;
const CANCELLED = ['cancelled'] as const;
const VISITED = ['visited'] as const;
const ANSWERED = ['requests'] as const;
const SHOWN = ['recommended'] as const;

/**
 * An id says what its cell counts, with nothing between the slashes for null; none of the names has a slash in it. This is
 * all of it but the activity, which comes last.
 */
function prefixOf({ day, keyId, city, travelType, budget, ageGroup }: Circumstances): string {
  return `${day}/${keyId ?? ''}/${city}/${travelType ?? ''}/${budget ?? ''}/${ageGroup ?? ''}`;
}
