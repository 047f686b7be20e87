import type { KnownState } from '../../actors/entity.ts';
import type { AuditEntry, AuditedOutcome, AuditedRequest, AuditId } from '../../domain/audit/audit.ts';
import { RANDOM_BYTES, timeOrderedId } from '../../domain/time-ordered-id.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { noReply, type Refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';

/** Maximum time that a request waits until its audit event is durable. */
const RECORDED_MS = 5_000;

type Context = { readonly streams: Pick<Streams, 'audits'>; readonly clock: Clock; readonly ids: Ids };

/** An act that was recorded and is not yet answered. */
export type RequestedAct = {
  readonly kind: 'requested';
  readonly id: AuditId;
  readonly request: AuditedRequest;
  readonly known: KnownState<AuditEntry>;
};

/** Records an act before it is done. A refusal says that nothing was done. */
export async function requestAct(
  request: AuditedRequest,
  cause: Cause,
  context: Context,
): Promise<RequestedAct | Refused> {
  const id = newAuditId(context);
  const reply = await context.streams.audits.handle(id, { type: 'RequestAct', request }, cause, deadline(context), NEW);
  if (reply.kind !== 'accepted') return refusedBy(reply);
  return { kind: 'requested', id, request, known: { state: reply.state, revision: reply.revision } };
}

/** Records the outcome of an act. Without this event its outcome is unknown. */
export async function answerAct(
  { id, request, known }: RequestedAct,
  { objects, ...outcome }: AuditedOutcome & Pick<AuditedRequest, 'objects'>,
  cause: Cause,
  context: Context,
): Promise<{ readonly kind: 'answered' } | Refused> {
  const { operation, at } = request;
  const command = { type: 'AnswerAct', answer: { operation, objects, at, ...outcome } } as const;
  const reply = await context.streams.audits.handle(id, command, cause, deadline(context), { known });
  return reply.kind === 'accepted' ? { kind: 'answered' } : refusedBy(reply);
}

/** Records a read of guests' data before it is answered. A refusal says that nothing may be shown. */
export async function recordRead(
  read: AuditedRequest & AuditedOutcome,
  cause: Cause,
  context: Context,
): Promise<{ readonly kind: 'recorded' } | Refused> {
  const command = { type: 'RecordRead', read } as const;
  const reply = await context.streams.audits.handle(newAuditId(context), command, cause, deadline(context), NEW);
  return reply.kind === 'accepted' ? { kind: 'recorded' } : refusedBy(reply);
}

const NEW = { known: 'no-stream' } as const;

function newAuditId({ clock, ids }: Context): AuditId {
  return `aud_${timeOrderedId(clock.nowMs(), ids.secret(RANDOM_BYTES)).toLowerCase()}` as AuditId;
}

function deadline({ clock }: Context): number {
  return clock.nowMs() + RECORDED_MS;
}

/** Rejections do not exist: the decider accepts every command. */
function refusedBy(reply: Exclude<Awaited<ReturnType<Context['streams']['audits']['handle']>>, { kind: 'accepted' }>) {
  if (reply.kind === 'rejected') throw new Error('a command of the audit was rejected');
  return noReply(reply);
}
