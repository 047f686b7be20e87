import { OrderedMap } from '../../collections/ordered-map.ts';
import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { ActivityId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Category, TravelType } from '../activity/vocabulary.ts';
import type { BookingId, DeviceId, KeyId, LogId } from '../ids.ts';
import { type Excluded, isExcluded } from './exclusions.ts';

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

/** One visit: a booking has another one after a void. */
export type VisitRef = Pick<VisitEvidence, 'bookingId' | 'activityId' | 'deviceId' | 'verifiedAtMs'>;

/**
 * These types are the storage format. A stream has the visits of one answer of recommend, or of a booking that no
 * recommendation led to.
 */
export type EvidenceEvent =
  | { readonly type: 'VisitCredited'; readonly data: { readonly evidence: VisitEvidence; readonly at: string } }
  /**
   * Not counted: the answer's visit to this activity counts already, an exclusion covers it, or its booking was refunded in
   * full. `counted` waits until that visit is withdrawn, or until it is `voided` itself.
   */
  | {
      readonly type: 'VisitPassedOver';
      readonly data: VisitRef & {
        readonly why: 'counted' | 'excluded' | 'disputed' | 'voided';
        readonly at: string;
      };
    }
  | {
      readonly type: 'VisitWithdrawn';
      readonly data: { readonly evidence: VisitEvidence; readonly why: 'voided' | 'excluded'; readonly at: string };
    };

export type Evidence = {
  /** The visit that counts, by activity. */
  readonly credited: OrderedMap<ActivityId, VisitEvidence>;
  /** All visits, by `keyOf`: in the order of the scans. */
  readonly visits: OrderedMap<string, DecidedVisit>;
};
type DecidedVisit = VisitRef & { readonly status: 'credited' | 'waiting' | 'closed' };

/** `exclusions`: those in force. */
type Common = { readonly exclusions: readonly { readonly excluded: Excluded }[]; readonly at: string };
export type EvidenceCommand =
  | ({ readonly type: 'CreditVisit'; readonly evidence: VisitEvidence; readonly disputed: boolean } & Common)
  | ({ readonly type: 'WithdrawVisit'; readonly visit: VisitRef; readonly why: 'voided' | 'excluded' } & Common);

type Credit = Extract<EvidenceCommand, { type: 'CreditVisit' }>;
type Withdraw = Extract<EvidenceCommand, { type: 'WithdrawVisit' }>;
type EvidenceDecision = Decision<EvidenceEvent, never>;

/** Credits one visit to each activity of an answer. A visit that is known is a repetition. */
export const evidenceDecider: Decider<EvidenceCommand, Evidence, EvidenceEvent, never> = {
  initial: { credited: new OrderedMap(), visits: new OrderedMap() },
  decide(command, state) {
    switch (command.type) {
      case 'CreditVisit':
        return creditVisit(command, state);
      case 'WithdrawVisit':
        return withdrawVisit(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve({ credited, visits }, event) {
    switch (event.type) {
      case 'VisitCredited': {
        const { evidence } = event.data;
        return {
          credited: credited.with(evidence.activityId, evidence),
          visits: decided(visits, evidence, 'credited'),
        };
      }
      case 'VisitPassedOver': {
        const status = event.data.why === 'counted' ? 'waiting' : 'closed';
        return { credited, visits: decided(visits, event.data, status) };
      }
      case 'VisitWithdrawn': {
        const { evidence } = event.data;
        return { credited: credited.without(evidence.activityId), visits: decided(visits, evidence, 'closed') };
      }
      default:
        return unreachable(event);
    }
  },
};

function creditVisit({ evidence, disputed, exclusions, at }: Credit, { credited, visits }: Evidence): EvidenceDecision {
  if (visits.get(keyOf(evidence)) !== undefined) return accept();
  const passOver = (why: 'counted' | 'excluded' | 'disputed'): EvidenceDecision =>
    accept({ type: 'VisitPassedOver', data: { ...refOf(evidence), why, at } });
  if (disputed) return passOver('disputed');
  if (isExcluded(evidence, exclusions)) return passOver('excluded');
  if (credited.get(evidence.activityId) !== undefined) return passOver('counted');
  return accept({ type: 'VisitCredited', data: { evidence, at } });
}

function withdrawVisit({ visit, why, exclusions, at }: Withdraw, { credited, visits }: Evidence): EvidenceDecision {
  const { status = 'waiting' } = visits.get(keyOf(visit)) ?? {};
  if (status === 'closed') return accept();
  const evidence = credited.get(visit.activityId);
  if (status === 'waiting' || evidence === undefined)
    return why === 'voided' ? accept({ type: 'VisitPassedOver', data: { ...refOf(visit), why, at } }) : accept();
  const withdrawn: EvidenceEvent = { type: 'VisitWithdrawn', data: { evidence, why, at } };
  // The visits of a stream have one answer, and so one key.
  const { keyId } = evidence;
  for (const other of visits.values()) {
    if (other.status !== 'waiting' || other.activityId !== visit.activityId) continue;
    if (isExcluded({ ...other, keyId }, exclusions)) continue;
    const next: EvidenceEvent = { type: 'VisitCredited', data: { evidence: { ...evidence, ...refOf(other) }, at } };
    return accept<EvidenceEvent>(withdrawn, next);
  }
  return accept(withdrawn);
}

function decided(visits: Evidence['visits'], visit: VisitRef, status: DecidedVisit['status']): Evidence['visits'] {
  return visits.with(keyOf(visit), { ...refOf(visit), status });
}

/** Digits of a time in ms since the epoch, until the year 5138. */
const TIME_DIGITS = 14;

function keyOf({ verifiedAtMs, bookingId, activityId, deviceId }: VisitRef): string {
  return `${String(verifiedAtMs).padStart(TIME_DIGITS, '0')}/${bookingId}/${activityId}/${deviceId ?? ''}`;
}

function refOf({ bookingId, activityId, deviceId, verifiedAtMs }: VisitRef): VisitRef {
  return { bookingId, activityId, deviceId, verifiedAtMs };
}

export const evidenceCodec = codec<EvidenceEvent>('evidence', {
  VisitCredited: [],
  VisitPassedOver: [],
  VisitWithdrawn: [],
});
