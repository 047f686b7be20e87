import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { BookingPricing } from '../activity/pricing.ts';
import type { Category, Language } from '../activity/vocabulary.ts';
import type { ArmRef } from '../experiment/experiment.ts';
import type { AllotmentId, ClaimId, CommandId, Fingerprint, KeyId, LogId } from '../ids.ts';
import type { Segment } from '../recommendation/profile.ts';

/** A claim that a booking names, and the number of its slots that the booking uses. */
export type ClaimRef = { readonly allotment: AllotmentId; readonly id: ClaimId; readonly size: number };

/** The recommendation that led to a booking; conversions and ground truth are counted by it. */
export type Attribution = {
  readonly logId: LogId;
  /** From 1; null if the activity was not shown. */
  readonly rank: number | null;
  /** Null in events of earlier versions. */
  readonly segment: Segment | null;
  /** Absent: the default model ranked the recommendation. */
  readonly experiment?: ArmRef;
};

/** Local midnight of the booked date, and the venue's opening and closing on it; ms since the epoch. */
export type Hours = { readonly beginsAtMs: number; readonly opensAtMs: number; readonly closesAtMs: number };

/** What was booked. Contains no personal data: `guest` is the fingerprint of a record in the guest stream. */
export type BookingFacts = {
  readonly keyId: KeyId;
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly category: Category;
  readonly date: LocalDate;
  /** Null in events of earlier versions: then the voucher's validity is used. */
  readonly hours: Hours | null;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly claims: readonly ClaimRef[];
  readonly guest: Fingerprint;
  readonly pricing: BookingPricing;
  readonly cancellation: CancellationPolicy;
  readonly language: Language;
  readonly attribution: Attribution | null;
  readonly webhookUrl: string | null;
  /** Time of the request; ISO 8601 UTC. */
  readonly at: string;
};

/** Facts that later events repeat, so that their readers do not need the first event. */
export type BookingSubject = Pick<
  BookingFacts,
  'keyId' | 'activityId' | 'venueId' | 'city' | 'category' | 'date' | 'attribution'
> & { readonly numGuests: number };

/** Both in ms since the epoch. */
export type Deadlines = {
  /**
   * The request that started the booking works on it until then; afterwards a process manager completes or rejects it.
   */
  readonly finishByMs: number;
  /** The venue's deadline to answer; null if the booking needs no confirmation by the venue. */
  readonly answerByMs: number | null;
};

/**
 * What the public event of a booking's event refers to, apart from the booking itself. Feed and fan-out read it in the
 * event, and no other stream.
 */
export type PublicFacts = {
  readonly keyId: KeyId;
  /** Scheme, host and port of the booking's own webhook URL, whose rest may be secret; null: the key's URL is used. */
  readonly webhookOrigin: string | null;
  /** Revision of the catalogue entry that title and venue name are taken from; 0 if the payload has neither. */
  readonly activityRevision: number;
};

export function publicFactsOf({ keyId, webhookUrl }: BookingFacts, activityRevision = 0): PublicFacts {
  const webhookOrigin = webhookUrl === null ? null : (URL.parse(webhookUrl)?.origin ?? webhookUrl);
  return { keyId, webhookOrigin, activityRevision };
}

export function guestsOf(facts: { readonly numAdults: number; readonly numChildren: number }): number {
  return facts.numAdults + facts.numChildren;
}

/** The subject for the data of an event. */
export function subjectOf(facts: BookingFacts): BookingSubject {
  const { keyId, activityId, venueId, city, category, date, attribution } = facts;
  return { keyId, activityId, venueId, city, category, date, attribution, numGuests: guestsOf(facts) };
}
