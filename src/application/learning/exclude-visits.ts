import { hasVisits } from '../../../projections/devicevisits/query.ts';
import {
  EXCLUSIONS,
  type Excluded,
  type Exclusion,
  type ExclusionId,
  learningCodec,
  MAX_EXCLUSIONS,
} from '../../domain/learning/exclusions.ts';
import { RANDOM_BYTES, timeOrderedId } from '../../domain/time-ordered-id.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import type { EventFeed } from '../../ports/event-store.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { commandIdOfKey, fingerprintOf } from '../identifiers.ts';
import { type KeysContext, readKey } from '../key/manage-keys.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';
import { readExclusions } from './credit-visit.ts';

const DECISION_MS = 10_000;
/** Maximum time that a request waits for the read models of devices, which usually are a moment behind the log. */
const CATCH_UP_MS = 2_000;
/** Maximum time that the answer waits for the withdrawals; then it says `pending`. */
const APPLIED_MS = 5_000;

type Context = KeysContext & {
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  readonly collection: (projection: 'devices' | 'devicevisits') => Promise<string>;
  readonly caughtUp: (projection: 'devices' | 'devicevisits', timeoutMs: number) => Promise<boolean>;
  readonly webhooks: { readonly store: Pick<EventFeed, 'head' | 'subscribe'> };
};

export type ExclusionRequest = {
  readonly excluded: Excluded;
  readonly reason: string;
  readonly idempotencyKey: string | null;
};

type Outcome = {
  readonly kind: 'exclusion';
  readonly exclusion: Exclusion;
  /** Null for a repetition. */
  readonly position: Position | null;
  readonly replayed: boolean;
};

/**
 * Excludes visits from learning, those to come too. The withdrawals are a process manager's work; the answer waits for them
 * for a moment.
 */
export async function excludeVisits(
  { excluded, reason, idempotencyKey }: ExclusionRequest,
  cause: Cause,
  context: Context,
): Promise<Outcome | Refused> {
  const { streams, clock, digest, webhooks } = context;
  const unknown = await unknownIn(excluded, context);
  if (unknown !== null) return unknown;
  const exclusion = exclusionIdOf(idempotencyKey, context);
  const { keyId, deviceId, fromMs, toMs } = excluded;
  const fingerprint = fingerprintOf(digest, ['exclude', keyId, deviceId, fromMs, toMs, reason]);
  const command = { type: 'ExcludeFromLearning', exclusion, excluded, reason, fingerprint, at: cause.at } as const;
  const after = await webhooks.store.head();
  const reply = await streams.exclusions.handle(EXCLUSIONS, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'rejected') return refusalOf(reply.rejection.code);
  if (reply.kind !== 'accepted') return noReply(reply);
  const { position } = reply;
  const replayed = reply.events.length === 0;
  const known = reply.state.find((each) => each.exclusion === exclusion);
  if (known === undefined) throw new Error(`${exclusion} was accepted and is not in its stream`);
  if (known.applied !== null) return { kind: 'exclusion', exclusion: known, position, replayed };
  // The exclusion is stored: whatever ends the wait, it is pending.
  await applied(exclusion, after, webhooks.store).catch(() => {});
  const read = await readExclusions(clock.nowMs() + DECISION_MS, streams);
  if (read.kind === 'unavailable') return noReply(read);
  const now = read.all.find((each) => each.exclusion === exclusion) ?? known;
  return { kind: 'exclusion', exclusion: now, position, replayed };
}

/** Waits until the exclusion is applied, or for APPLIED_MS. */
async function applied(exclusion: ExclusionId, after: Position, store: Context['webhooks']['store']): Promise<void> {
  const signal = AbortSignal.timeout(APPLIED_MS);
  for await (const { events } of store.subscribe({ after, categories: [learningCodec.category], signal }))
    for (const stored of events) {
      const { type, data } = learningCodec.decode(stored);
      if (type === 'ExclusionApplied' && data.exclusion === exclusion) return;
    }
}

/** Refuses a key that does not exist, and a device that neither exists nor recorded a visit. */
async function unknownIn({ keyId, deviceId }: Excluded, context: Context): Promise<Refused | null> {
  if (keyId !== null) {
    const key = await readKey(keyId, context);
    if (key.kind === 'refused') return key;
  }
  if (deviceId === null) return null;
  const { readModels, collection, caughtUp } = context;
  for (const name of ['devices', 'devicevisits'] as const)
    if (!(await caughtUp(name, CATCH_UP_MS)))
      return serviceUnavailable('catching up', { call: `wait for the read model ${name}` });
  const devices = await readModels.load(await collection('devices'), [deviceId]);
  if ((devices.get(deviceId)?.doc ?? null) !== null) return null;
  if (await hasVisits(readModels, await collection('devicevisits'), deviceId)) return null;
  return refused('NOT_FOUND', `There is no gate device with the id "${deviceId}"; check device_id.`);
}

function exclusionIdOf(idempotencyKey: string | null, { digest, ids, clock }: Context): ExclusionId {
  const part =
    idempotencyKey === null
      ? timeOrderedId(clock.nowMs(), ids.secret(RANDOM_BYTES))
      : commandIdOfKey(digest, ['POST /api/learning/exclude'], idempotencyKey);
  return `exc_${part.toLowerCase()}` as ExclusionId;
}

function refusalOf(code: 'IDEMPOTENCY_KEY_REUSED' | 'TOO_MANY_EXCLUSIONS'): Refused {
  switch (code) {
    case 'IDEMPOTENCY_KEY_REUSED':
      return refused(code, 'This Idempotency-Key was used for another exclusion; use a new key for a new exclusion.');
    case 'TOO_MANY_EXCLUSIONS':
      return refused(
        'INVALID_REQUEST',
        `There are ${MAX_EXCLUSIONS} exclusions, which is the maximum; nothing was excluded.`,
        { resolution: 'contact_operator' },
      );
    default:
      return unreachable(code);
  }
}

/** The exclusions, newest first. @param after the id of the last one of the page before; null: the first page */
export async function listExclusions(
  { limit, after }: { readonly limit: number; readonly after: string | null },
  { streams, clock }: Pick<Context, 'streams' | 'clock'>,
): Promise<
  { readonly kind: 'exclusions'; readonly items: readonly Exclusion[]; readonly next: string | null } | Refused
> {
  const read = await readExclusions(clock.nowMs() + DECISION_MS, streams);
  if (read.kind === 'unavailable') return noReply(read);
  const newest = read.all.toReversed();
  const from = after === null ? 0 : newest.findIndex(({ exclusion }) => exclusion === after) + 1;
  const items = newest.slice(from, from + limit);
  return { kind: 'exclusions', items, next: from + limit < newest.length ? (items.at(-1)?.exclusion ?? null) : null };
}
