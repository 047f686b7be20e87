import { continueCancellation } from '../../application/allotment/continue-cancellation.ts';
import type { Digest } from '../../ports/digest.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, commandOutcomeOf, runTimedManager, type TimedContext } from '../run-timed.ts';
import { type CancelDatesCommand, cancelDates, cancelDatesKey } from './process-manager.ts';

type Context = TimedContext & { readonly digest: Digest };

/** Runs the process manager that cancels the bookings of closed dates. */
export function runCancelDates(context: Context): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: cancelDates,
      keyOf: cancelDatesKey,
      startAtOnce: true,
      execute: (command, commandContext) => execute(command, commandContext, context),
    },
    context,
  );
}

/** The events name the operator who cancelled the date. */
async function execute(
  { allotmentId, cause: requested }: CancelDatesCommand,
  { cause: { at }, deadlineMs }: CommandContext,
  context: Context,
): Promise<CommandOutcome> {
  const result = await continueCancellation(allotmentId, { ...requested, at }, deadlineMs, context);
  if (result.kind === 'unavailable') return commandOutcomeOf(result);
  if (result.kind === 'more' || result.position === null) return { kind: 'later' };
  const { cancelled, gone, visited } = result.cancellation ?? {};
  context.log.info('date cancelled', { allotment: allotmentId, cancelled, gone, visited: visited?.size });
  return { kind: 'recorded', position: result.position };
}
