import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { ActivityId } from '../activity/activity.ts';
import type { DeviceId, Fingerprint, KeyId } from '../ids.ts';

/** The id of the one stream of exclusions: `learning-exclusions`. */
export const EXCLUSIONS = 'exclusions';

/** Maximum number of exclusions: each counted visit is compared with all of them. */
export const MAX_EXCLUSIONS = 1_000;

export type ExclusionId = string & { readonly __brand: 'ExclusionId' };

/** Visits that teach the ranking nothing: those that meet every condition that is not null; at least one is given. */
export type Excluded = {
  readonly keyId: KeyId | null;
  readonly deviceId: DeviceId | null;
  /** Times of the scan, ms since the epoch, half-open. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
};

/** An activity of which an exclusion withdraws visits. Ground truths are factors in thousandths, for all travellers. */
export type CountedActivity = {
  readonly activityId: ActivityId;
  readonly visits: number;
  readonly groundTruthBefore: number;
};
export type AppliedActivity = CountedActivity & { readonly groundTruthAfter: number };

/** These types are the storage format. */
export type LearningEvent =
  | {
      readonly type: 'LearningExcluded';
      readonly data: {
        readonly exclusion: ExclusionId;
        readonly excluded: Excluded;
        readonly reason: string;
        readonly fingerprint: Fingerprint;
        readonly at: string;
      };
    }
  /** Before the first withdrawal, so that an interrupted one ends in the same numbers. */
  | {
      readonly type: 'ExclusionCounted';
      readonly data: {
        readonly exclusion: ExclusionId;
        readonly visits: number;
        /** Those with the most visits. */
        readonly activities: readonly CountedActivity[];
        readonly at: string;
      };
    }
  /** Every visit of the exclusion is withdrawn. */
  | {
      readonly type: 'ExclusionApplied';
      readonly data: {
        readonly exclusion: ExclusionId;
        readonly visits: number;
        readonly activities: readonly AppliedActivity[];
        readonly at: string;
      };
    };

type Facts<Type extends LearningEvent['type']> = Extract<LearningEvent, { type: Type }>['data'];

export type Exclusion = Facts<'LearningExcluded'> & {
  /** Null before the visits were counted. */
  readonly counted: Pick<Facts<'ExclusionCounted'>, 'visits' | 'activities'> | null;
  /** Null as long as visits are to be withdrawn. */
  readonly applied: Pick<Facts<'ExclusionApplied'>, 'activities' | 'at'> | null;
};

/** Oldest first. */
export type Exclusions = readonly Exclusion[];

export type LearningCommand =
  | ({ readonly type: 'ExcludeFromLearning' } & Facts<'LearningExcluded'>)
  | ({ readonly type: 'RecordExclusionCounted' } & Facts<'ExclusionCounted'>)
  | ({ readonly type: 'RecordExclusionApplied' } & Facts<'ExclusionApplied'>);

export type LearningRejection = { readonly code: 'IDEMPOTENCY_KEY_REUSED' | 'TOO_MANY_EXCLUSIONS' };

export const learningDecider: Decider<LearningCommand, Exclusions, LearningEvent, LearningRejection> = {
  initial: [],
  decide(command, exclusions) {
    const known = exclusions.find(({ exclusion }) => exclusion === command.exclusion);
    switch (command.type) {
      case 'ExcludeFromLearning': {
        const { type: _type, ...data } = command;
        if (known !== undefined)
          return known.fingerprint === data.fingerprint ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
        if (exclusions.length >= MAX_EXCLUSIONS) return reject({ code: 'TOO_MANY_EXCLUSIONS' });
        return accept({ type: 'LearningExcluded', data });
      }
      case 'RecordExclusionCounted': {
        const { type: _type, ...data } = command;
        return known?.counted === null ? accept({ type: 'ExclusionCounted', data }) : accept();
      }
      case 'RecordExclusionApplied': {
        const { type: _type, ...data } = command;
        return known?.applied === null ? accept({ type: 'ExclusionApplied', data }) : accept();
      }
      default:
        return unreachable(command);
    }
  },
  evolve(exclusions, event) {
    switch (event.type) {
      case 'LearningExcluded':
        return [...exclusions, { ...event.data, counted: null, applied: null }];
      case 'ExclusionCounted': {
        const { exclusion, visits, activities } = event.data;
        return exclusions.map((each) =>
          each.exclusion === exclusion ? { ...each, counted: { visits, activities } } : each,
        );
      }
      case 'ExclusionApplied': {
        const { exclusion, activities, at } = event.data;
        return exclusions.map((each) =>
          each.exclusion === exclusion ? { ...each, applied: { activities, at } } : each,
        );
      }
      default:
        return unreachable(event);
    }
  },
};

export const learningCodec = codec<LearningEvent>('learning', {
  LearningExcluded: [],
  ExclusionCounted: [],
  ExclusionApplied: [],
});

/** Whether one of the exclusions covers the visit. */
export function isExcluded(
  { keyId, deviceId, verifiedAtMs }: ExcludableVisit,
  exclusions: readonly { readonly excluded: Excluded }[],
): boolean {
  return exclusions.some(
    ({ excluded }) =>
      (excluded.keyId === null || excluded.keyId === keyId) &&
      (excluded.deviceId === null || excluded.deviceId === deviceId) &&
      (excluded.fromMs === null || verifiedAtMs >= excluded.fromMs) &&
      (excluded.toMs === null || verifiedAtMs < excluded.toMs),
  );
}

type ExcludableVisit = {
  readonly keyId: KeyId | null;
  readonly deviceId: DeviceId | null;
  readonly verifiedAtMs: number;
};
