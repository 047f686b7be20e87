import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { CityName } from '../../src/domain/activity/cities.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { Attribution } from '../../src/domain/booking/facts.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { type Segment, segmentOf } from '../../src/domain/recommendation/profile.ts';
import { DEFAULT_MODEL_NAME } from '../../src/domain/recommendation/ranking-model.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { ConversionCell, ConversionCounts, Dimensions } from './read-model.ts';

/**
 * One document per cell, keyed by its dimensions. Neither a booking that no recommendation led to nor a
 * disputed visit is a conversion. A voided visit is subtracted from the day of the visit.
 */
export const conversionsProjection: Projection<ConversionCell, BookingEvent | RecommendationEvent> = {
  name: 'conversions',
  version: 5,
  categories: ['booking', 'recommendation'],
  indexes: [['day'], ['city', 'day'], ['activityId', 'day']],
  idsOf(event) {
    const contribution = contributionOf(event);
    if (contribution === null) return [];
    const prefix = prefixOf(contribution.dimensions);
    return contribution.activityIds.map((activityId) => `${prefix}/${activityId ?? ''}`);
  },
  evolve: (doc, event, id) => countEvents(doc, [event], id),
  evolveAll: countEvents,
};

type CountedEvent = Recorded<BookingEvent | RecommendationEvent>;

/**
 * Copies a cell once for a whole batch of events: each recommendation changes up to 21 cells, that of the request and
 * those of 20 activities.
 */
function countEvents(doc: ConversionCell | null, events: readonly CountedEvent[], id: string): ConversionCell | null {
  const [first] = events;
  if (first === undefined) return doc;
  const activityId = id.slice(id.lastIndexOf('/') + 1) as ActivityId | '';
  const cell: { -readonly [Field in keyof ConversionCell]: ConversionCell[Field] } =
    doc === null ? emptyCell(first, activityId || null) : { ...doc };
  for (const event of events)
    for (const count of countsOf(event, activityId)) cell[count] += event.type === 'VisitVoided' ? -1 : 1;
  return cell;
}

function emptyCell(event: CountedEvent, activityId: ActivityId | null): ConversionCell {
  const contribution = contributionOf(event);
  if (contribution === null) throw new Error(`${event.type} of ${event.stream} is not counted in any cell`);
  return { ...contribution.dimensions, activityId, ...ZERO_COUNTS };
}

/** The cells that an event is counted in: one for each activity; null stands for the request itself. */
type Contribution = {
  readonly dimensions: Dimensions;
  readonly activityIds: readonly (ActivityId | null)[];
};

const ZERO_COUNTS: ConversionCounts = {
  requests: 0,
  recommended: 0,
  booked: 0,
  confirmed: 0,
  visited: 0,
  cancelled: 0,
};

function contributionOf(event: CountedEvent): Contribution | null {
  switch (event.type) {
    case 'RecommendationServed': {
      const { at, keyId, city, profile, experiment, ranked, shown } = event.data;
      const dimensions = dimensionsOf(at, keyId, city, segmentOf(profile), experiment);
      return { dimensions, activityIds: [null, ...ranked.ids.slice(0, shown)] };
    }
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'BookingConfirmed':
    case 'BookingCancelled': {
      const { keyId, city, activityId, attribution } = event.data;
      if (attribution === null || bookingCounts(event).length === 0) return null;
      const dimensions = dimensionsOf(countedAt(event), keyId, city, attribution.segment, attribution.experiment);
      return { dimensions, activityIds: [activityId] };
    }
    case 'VisitVerified':
    case 'VisitVoided': {
      const visit = event.type === 'VisitVerified' ? event.data : event.data.visit;
      const { verifiedAtMs, keyId, city, activityId, attribution, disputed } = visit;
      if (attribution === null || disputed) return null;
      const at = new Date(verifiedAtMs).toISOString();
      const dimensions = dimensionsOf(at, keyId, city, attribution.segment, attribution.experiment);
      return { dimensions, activityIds: [activityId] };
    }
    default:
      return null;
  }
}

/** The `at` of a confirmation that follows an earlier event is the time of the booking request, not of the confirmation. */
function countedAt({ type, data, cause }: Extract<CountedEvent, { data: { at: string } }>): string {
  return type === 'BookingConfirmed' && data.follows !== null ? cause.at : data.at;
}

function dimensionsOf(
  at: string,
  keyId: KeyId | null,
  city: CityName,
  segment: Attribution['segment'] | Segment,
  experiment: Attribution['experiment'],
): Dimensions {
  const { travelType, budget, ageGroup } = segment ?? { travelType: null, budget: null, ageGroup: null };
  const day = at.slice(0, 'YYYY-MM-DD'.length);
  return { day, keyId, city, travelType, budget, ageGroup, model: experiment?.arm ?? DEFAULT_MODEL_NAME };
}

type Count = keyof ConversionCounts;

function countsOf(event: BookingEvent | RecommendationEvent, activityId: ActivityId | ''): readonly Count[] {
  if (event.type !== 'RecommendationServed') return bookingCounts(event);
  return activityId === '' ? REQUESTS : RECOMMENDED;
}

/** Only the first event of a booking counts as `booked`. */
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
    case 'VisitVoided':
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
const REQUESTS = ['requests'] as const;
const RECOMMENDED = ['recommended'] as const;

/**
 * The id of a cell without the activity, which comes last. An empty part stands for null. No part contains a slash.
 */
function prefixOf({ day, keyId, city, travelType, budget, ageGroup, model }: Dimensions): string {
  return `${day}/${keyId ?? ''}/${city}/${travelType ?? ''}/${budget ?? ''}/${ageGroup ?? ''}/${model}`;
}
