import { type Unavailable, unavailable } from '../../actors/actor.ts';
import { leftToCancel } from '../../domain/allotment/cancel-date.ts';
import type { DateCancellation } from '../../domain/allotment/cancellation.ts';
import { runningCancellation } from '../../domain/allotment/state.ts';
import { dateCancellationWorkflow } from '../../domain/booking/date-cancellation-workflow.ts';
import type { AllotmentId, BookingId, ClaimId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { driveWorkflow } from '../booking/drive-workflow.ts';
import { commandIdOfKey, fingerprintOf } from '../identifiers.ts';

type Context = Pick<BookingContext, 'streams' | 'clock'> & { readonly digest: Digest };

/** After this time a call begins no further booking; the next call continues, so that a node can stop between two. */
const SLICE_MS = 2_000;
/** Bookings that are settled at the same time. */
const AT_ONCE = 8;

/** `more`: bookings or holds are left. `finished`: by the event at this position; null: before the call. */
export type Continued =
  | { readonly kind: 'finished'; readonly position: Position | null; readonly cancellation: DateCancellation | null }
  | { readonly kind: 'more' }
  /** Something is left, and nothing of it could be done. */
  | Unavailable;

/**
 * Settles bookings of a closed date and releases its holds, then finishes the cancellation. Each step can be repeated, by
 * another node too. A booking that cannot be settled holds up no other one.
 *
 * @param deadlineMs after which no further step begins; ms since the epoch
 */
export async function continueCancellation(
  allotmentId: AllotmentId,
  cause: Cause,
  deadlineMs: number,
  context: Context,
): Promise<Continued> {
  const { allotments } = context.streams;
  const reply = await allotments.read(allotmentId, deadlineMs);
  if (reply.kind === 'erased') throw new Error(`allotment-${allotmentId} was erased`);
  if (reply.kind === 'unavailable') return reply;
  const { state: allotment } = reply;
  const cancellation = runningCancellation(allotment);
  if (allotment.status === 'unopened' || cancellation === null)
    return { kind: 'finished', position: null, cancellation: null };
  const left = leftToCancel(allotment);
  const work = [
    ...left.holds.map((holdId) => async () => {
      const released = await allotments.handle(allotmentId, { type: 'ReleaseHold', holdId }, cause, deadlineMs);
      return released.kind === 'unavailable' ? released : null;
    }),
    ...left.bookings.map(
      (booking) => () => settle({ ...booking, allotmentId, cancellation }, cause, deadlineMs, context),
    ),
  ];
  const { done, fault } = await runAll(work, context.clock);
  const finish = { type: 'FinishCancellation', commandId: cancellation.command, at: cause.at } as const;
  const finished = await allotments.handle(allotmentId, finish, cause, deadlineMs);
  if (finished.kind === 'accepted' && finished.state.status === 'open')
    return { kind: 'finished', position: finished.position, cancellation: finished.state.cancellation };
  return done === 0 && fault !== null ? fault : { kind: 'more' };
}

type BookingOfDate = {
  readonly id: BookingId;
  readonly claims: readonly ClaimId[];
  readonly allotmentId: AllotmentId;
  readonly cancellation: DateCancellation;
};

async function settle(
  { id: bookingId, claims, allotmentId, cancellation }: BookingOfDate,
  cause: Cause,
  deadlineMs: number,
  { digest, ...context }: Context,
): Promise<Unavailable | null> {
  const { command: dateCommand, reason, at } = cancellation;
  const workflow = dateCancellationWorkflow({
    bookingId,
    allotmentId,
    claims,
    dateCommand,
    reason,
    closedAtMs: Date.parse(at),
    command: commandIdOfKey(digest, ['cancel date', allotmentId, bookingId], dateCommand),
    fingerprint: fingerprintOf(digest, [reason]),
    at: cause.at,
  });
  const { outcome, last } = await driveWorkflow(workflow, false, cause, deadlineMs, { ...context, allotments: null });
  if (outcome.kind === 'contended') return unavailable('contended', last);
  return outcome.kind === 'unavailable' ? outcome : null;
}

/** Runs some at once, all in their order, until the end of the slice. Returns the number that were done, and the first fault. */
async function runAll(work: readonly (() => Promise<Unavailable | null>)[], clock: Clock) {
  const untilMs = clock.nowMs() + SLICE_MS;
  let done = 0;
  let first: Unavailable | null = null;
  const rest = work.values();
  const worker = async (): Promise<void> => {
    for (const each of rest) {
      const fault = await each();
      if (fault === null) done += 1;
      first ??= fault;
      if (clock.nowMs() >= untilMs) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { done, fault: first };
}
