import type { Unavailable } from '../../actors/actor.ts';
import type { EntityReply } from '../../actors/entity.ts';
import type { VisitFacts } from '../../domain/booking/events.ts';
import { type BookingId, type LogId, parseLogId } from '../../domain/ids.ts';
import type { Evidence, EvidenceCommand, EvidenceEvent, VisitEvidence } from '../../domain/learning/evidence.ts';
import { EXCLUSIONS, type Exclusions } from '../../domain/learning/exclusions.ts';
import { expectedShares, PLACES } from '../../domain/learning/places.ts';
import type { ServedFacts } from '../../domain/recommendation/recommendation.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Streams } from '../streams.ts';

/** What the evidence of a visit is made of. */
export type SeenVisit = Pick<
  VisitFacts,
  'activityId' | 'city' | 'category' | 'keyId' | 'deviceId' | 'verifiedAtMs' | 'disputed'
> & {
  readonly bookingId: BookingId;
  /** The context log that the booking names. */
  readonly logId: LogId | null;
};

export function seenVisit(bookingId: BookingId, visit: VisitFacts): SeenVisit {
  const { activityId, city, category, keyId, deviceId, verifiedAtMs, disputed, attribution } = visit;
  const logId = attribution?.logId ?? null;
  return { bookingId, activityId, city, category, keyId, deviceId, verifiedAtMs, disputed, logId };
}

type Context = { readonly streams: Pick<Streams, 'evidence' | 'exclusions' | 'recommendations'> };
type Reply = Exclude<EntityReply<Evidence, EvidenceEvent, never>, { kind: 'state' }> | Unavailable;

/** Lets the ranking learn from a visit, unless its answer's visit to the activity counts already. A repetition adds nothing. */
export async function creditVisit(
  visit: SeenVisit,
  cause: Cause,
  deadlineMs: number,
  { streams }: Context,
): Promise<Reply> {
  const read = await readSources(visit, deadlineMs, streams);
  if (read.kind === 'unavailable') return read;
  const { served, exclusions } = read;
  const command = {
    type: 'CreditVisit',
    evidence: evidenceOf(visit, served),
    disputed: visit.disputed,
    exclusions,
    at: cause.at,
  } as const;
  // Most answers lead to one visit: then the stream is new.
  return streams.evidence.handle(evidenceIdOf(visit, served), command, cause, deadlineMs, { known: 'no-stream' });
}

/** Takes back what the ranking learnt from a visit that was voided. Another visit of the answer may count instead. */
export async function withdrawVoided(
  visit: SeenVisit,
  cause: Cause,
  deadlineMs: number,
  { streams }: Context,
): Promise<Reply> {
  const read = await readSources(visit, deadlineMs, streams);
  if (read.kind === 'unavailable') return read;
  const { served, exclusions } = read;
  const command: EvidenceCommand = {
    type: 'WithdrawVisit',
    visit,
    why: 'voided',
    exclusions,
    at: cause.at,
  };
  return streams.evidence.handle(evidenceIdOf(visit, served), command, cause, deadlineMs);
}

/** What a decision on a visit depends on: its context log, and the exclusions in force. */
async function readSources(visit: SeenVisit, deadlineMs: number, streams: Context['streams']) {
  const [log, exclusions] = await Promise.all([
    readLog(visit, deadlineMs, streams),
    readExclusions(deadlineMs, streams),
  ]);
  if (log.kind === 'unavailable') return log;
  if (exclusions.kind === 'unavailable') return exclusions;
  return { kind: 'read', served: log.served, exclusions: exclusions.all } as const;
}

/** Those in force, the pending ones included. */
export async function readExclusions(
  deadlineMs: number,
  streams: Pick<Streams, 'exclusions'>,
): Promise<{ readonly kind: 'exclusions'; readonly all: Exclusions } | Unavailable> {
  const reply = await streams.exclusions.read(EXCLUSIONS, deadlineMs);
  if (reply.kind === 'unavailable') return reply;
  return { kind: 'exclusions', all: reply.kind === 'state' ? reply.state : [] };
}

type FoundLog = { readonly kind: 'log'; readonly served: ServedFacts | null };

/** The context log of the recommendation that led to the visit; null if there is none, or if it is another key's. */
async function readLog(
  { logId, keyId }: SeenVisit,
  deadlineMs: number,
  streams: Pick<Streams, 'recommendations'>,
): Promise<FoundLog | Unavailable> {
  // Early versions stored the id as the caller sent it.
  const id = logId === null ? null : parseLogId(logId);
  if (id === null) return { kind: 'log', served: null };
  const reply = await streams.recommendations.read(id, deadlineMs);
  if (reply.kind === 'unavailable') return reply;
  const served = reply.kind === 'state' && reply.state.status === 'served' ? reply.state.facts : null;
  const own = served !== null && (keyId === null || keyId === served.keyId);
  return { kind: 'log', served: own ? served : null };
}

function evidenceIdOf({ logId, bookingId }: SeenVisit, served: ServedFacts | null): LogId | BookingId {
  return served === null || logId === null ? bookingId : logId;
}

function evidenceOf({ logId, disputed: _disputed, ...visit }: SeenVisit, served: ServedFacts | null): VisitEvidence {
  if (served === null || logId === null) return { ...visit, travelType: null, answer: null };
  const ids = served.ranked.ids.slice(0, served.shown);
  const expected = expectedShares(ids.map((_, index) => index + 1));
  return {
    ...visit,
    keyId: served.keyId,
    travelType: served.profile.travelType,
    answer: { logId, ids, expected, places: PLACES },
  };
}
