import { applyExclusion, type ExclusionContext } from '../../application/learning/apply-exclusion.ts';
import { creditVisit, withdrawVoided } from '../../application/learning/credit-visit.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, runTimedManager, type TimedContext } from '../run-timed.ts';
import { type CreditVisitsCommand, creditVisits, creditVisitsKey } from './process-manager.ts';

export type CreditVisitsContext = TimedContext & Pick<ExclusionContext, 'readModels' | 'collection' | 'caughtUp'>;

/** Runs the process manager that lets the ranking learn from visits, as soon as they are verified. */
export function runCreditVisits(context: CreditVisitsContext): Promise<RunningProcessManager> {
  return runTimedManager(
    {
      manager: creditVisits,
      keyOf: creditVisitsKey,
      startAtOnce: true,
      execute: (command, commandContext) => execute(command, commandContext, context),
    },
    context,
  );
}

async function execute(
  command: CreditVisitsCommand,
  { cause, deadlineMs }: CommandContext,
  context: CreditVisitsContext,
): Promise<CommandOutcome> {
  switch (command.type) {
    case 'CreditVisit':
      return outcomeOf(await creditVisit(command.visit, cause, deadlineMs, context));
    case 'WithdrawVisit':
      return outcomeOf(await withdrawVoided(command.visit, cause, deadlineMs, context));
    case 'ApplyExclusion':
      return { kind: (await applyExclusion(command.exclusion, cause, context)) ? 'done' : 'later' };
    default:
      return unreachable(command);
  }
}

/** No event closes a command, so an accepted one is done. */
function outcomeOf(reply: Awaited<ReturnType<typeof creditVisit>>): CommandOutcome {
  if (reply.kind === 'accepted') return { kind: 'done' };
  if (reply.kind === 'unavailable' && reply.cause.fault !== undefined)
    return { kind: 'failed', fault: reply.cause.fault };
  return { kind: 'later' };
}
