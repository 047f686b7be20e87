import { creditedVisits } from '../../../projections/evidence/query.ts';
import type { CreditedVisit } from '../../../projections/evidence/read-model.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import {
  type CountedActivity,
  EXCLUSIONS,
  type Excluded,
  type Exclusion,
  type ExclusionId,
  type Exclusions,
  type LearningCommand,
} from '../../domain/learning/exclusions.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import type { Streams } from '../streams.ts';
import { readExclusions } from './credit-visit.ts';
import { groundTruthsOf } from './ground-truths.ts';

/** Maximum number of activities that an exclusion names. */
export const MAX_ACTIVITIES = 50;
const PAGE = 512;
/** Concurrent commands. */
const AT_ONCE = 64;
const DECISION_MS = 10_000;
/** Maximum time that a step waits for a read model, which usually is a moment behind the log. */
const CATCH_UP_MS = 2_000;
/** After this time the withdrawals pause, so that a stop need not wait for all of them. */
const PIECE_MS = 2_000;

/** The read models that an exclusion needs. */
type Read = 'evidence' | 'groundtruth';

export type ExclusionContext = {
  readonly streams: Pick<Streams, 'evidence' | 'exclusions'>;
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  readonly collection: (projection: Read) => Promise<string>;
  /** Waits until a projection has passed all that the log holds at the call. False on timeout. */
  readonly caughtUp: (projection: Read, timeoutMs: number) => Promise<boolean>;
  readonly clock: Clock;
};

/**
 * Withdraws the visits that an exclusion covers, and records what that changed. No visit may be credited meanwhile. A
 * repetition after a fault goes on with the rest and records the same numbers, because what changes is counted first.
 * False if it must be repeated: a stream or read model did not answer in time, or there is more to withdraw.
 */
export async function applyExclusion(id: ExclusionId, cause: Cause, context: ExclusionContext): Promise<boolean> {
  const { streams, clock, caughtUp } = context;
  const read = await readExclusions(clock.nowMs() + DECISION_MS, streams);
  if (read.kind === 'unavailable') return false;
  const exclusion = read.all.find((each) => each.exclusion === id);
  if (exclusion === undefined || exclusion.applied !== null) return true;
  if (!(await caughtUp('evidence', CATCH_UP_MS)) || !(await caughtUp('groundtruth', CATCH_UP_MS))) return false;
  const counted = exclusion.counted ?? (await count(exclusion, cause, context));
  if (counted === null || !(await withdrawAll(exclusion, read.all, cause, context))) return false;
  if (!(await caughtUp('groundtruth', CATCH_UP_MS))) return false;
  const now = await groundTruthsAt(exclusion, counted.activities, context);
  const activities = counted.activities.map((each) => ({
    ...each,
    groundTruthAfter: now.get(each.activityId) ?? each.groundTruthBefore,
  }));
  const { visits } = counted;
  return record({ type: 'RecordExclusionApplied', exclusion: id, visits, activities, at: cause.at }, cause, context);
}

/** Counts the visits to withdraw; null if the count could not be recorded. */
async function count(of: Exclusion, cause: Cause, context: ExclusionContext): Promise<Exclusion['counted']> {
  const { exclusion, excluded } = of;
  const byActivity = new Map<ActivityId, number>();
  let visits = 0;
  for await (const page of pagesOf(excluded, context))
    for (const { activityId } of page) {
      byActivity.set(activityId, (byActivity.get(activityId) ?? 0) + 1);
      visits++;
    }
  const most = [...byActivity]
    .map(([activityId, number]) => ({ activityId, visits: number }))
    .sort((left, right) => right.visits - left.visits || (left.activityId < right.activityId ? -1 : 1))
    .slice(0, MAX_ACTIVITIES);
  const now = await groundTruthsAt(of, most, context);
  const activities: CountedActivity[] = most.map((each) => ({
    ...each,
    groundTruthBefore: now.get(each.activityId) ?? 0,
  }));
  const counted = { exclusion, visits, activities, at: cause.at };
  return (await record({ type: 'RecordExclusionCounted', ...counted }, cause, context)) ? counted : null;
}

/** False if there is more to withdraw. */
async function withdrawAll(
  { excluded }: Exclusion,
  exclusions: Exclusions,
  cause: Cause,
  { streams, ...context }: ExclusionContext,
): Promise<boolean> {
  const { clock } = context;
  const untilMs = clock.nowMs() + PIECE_MS;
  const withdraw = (visit: CreditedVisit) => {
    const command = { type: 'WithdrawVisit', visit, why: 'excluded', exclusions, at: cause.at } as const;
    return streams.evidence.handle(visit.evidenceId, command, cause, clock.nowMs() + DECISION_MS);
  };
  for await (const page of pagesOf(excluded, context)) {
    if (clock.nowMs() > untilMs) return false;
    for (let at = 0; at < page.length; at += AT_ONCE) {
      const replies = await Promise.all(page.slice(at, at + AT_ONCE).map(withdraw));
      if (replies.some(({ kind }) => kind !== 'accepted')) return false;
    }
  }
  return true;
}

async function* pagesOf(
  excluded: Excluded,
  { readModels, collection }: Pick<ExclusionContext, 'readModels' | 'collection'>,
): AsyncIterable<readonly CreditedVisit[]> {
  const name = await collection('evidence');
  let after: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof creditedVisits>> = await creditedVisits(readModels, name, {
      excluded,
      limit: PAGE,
      after,
    });
    yield page.visits;
    after = page.next;
  } while (after !== null);
}

/** At the time of the exclusion, so that a repetition records the same numbers. */
async function groundTruthsAt(
  { at }: Exclusion,
  activities: readonly { readonly activityId: ActivityId }[],
  { readModels, collection }: ExclusionContext,
): Promise<ReadonlyMap<ActivityId, number>> {
  const ids = activities.map(({ activityId }) => activityId);
  return groundTruthsOf(ids, Date.parse(at), await collection('groundtruth'), readModels);
}

async function record(
  command: LearningCommand,
  cause: Cause,
  { streams, clock }: Pick<ExclusionContext, 'streams' | 'clock'>,
): Promise<boolean> {
  return (await streams.exclusions.handle(EXCLUSIONS, command, cause, clock.nowMs() + DECISION_MS)).kind === 'accepted';
}
