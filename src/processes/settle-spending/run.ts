import { easeSpending } from '../../application/booking/ease-spending.ts';
import { bookingHistory } from '../../application/booking/read-booking.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { CommandOutcome, RunningProcessManager } from '../../runtime/run-process-manager.ts';
import { type CommandContext, commandOutcomeOf, runTimedManager, type TimedContext } from '../run-timed.ts';
import { type SettleSpendingCommand, settleSpending, settleSpendingKey } from './process-manager.ts';

/** Runs the process manager that corrects the spending of limited keys. */
export function runSettleSpending(context: TimedContext): Promise<RunningProcessManager> {
  return runTimedManager({ manager: settleSpending, keyOf: settleSpendingKey, execute }, context);
}

async function execute(
  command: SettleSpendingCommand,
  commandContext: CommandContext,
  context: TimedContext,
): Promise<CommandOutcome> {
  switch (command.type) {
    case 'ReturnReservation':
      return returnReservation(command, commandContext, context);
    case 'EaseSpending': {
      const { booking, keyId, at } = command;
      const { cause, deadlineMs } = commandContext;
      const eased = await easeSpending(booking, { keyId, at }, cause, deadlineMs, context);
      return { kind: eased ? 'done' : 'later' };
    }
    default:
      return unreachable(command);
  }
}

/** First the booking's stream abandons the claim, so that no request can name it any more. */
async function returnReservation(
  { spending, booking, claim, allotment }: Extract<SettleSpendingCommand, { type: 'ReturnReservation' }>,
  { cause, deadlineMs }: CommandContext,
  { store, streams, log }: TimedContext,
): Promise<CommandOutcome> {
  const named = (await bookingHistory(booking, { store })).some(
    ({ data }) => 'claims' in data && data.claims.some(({ id }) => id === claim),
  );
  // The booking may have dropped the claim since; then its event eases the spending.
  if (named) return { kind: 'done' };
  const abandon = { type: 'AbandonClaim', claimId: claim, allotmentId: allotment } as const;
  const abandoned = await streams.bookings.handle(booking, abandon, cause, deadlineMs);
  if (abandoned.kind !== 'accepted') return { kind: 'later' };
  const release = { type: 'Release', claim, at: cause.at } as const;
  const released = await streams.spendings.handle(spending, release, cause, deadlineMs);
  if (released.kind === 'accepted' && released.events.length > 0) log.info('reserved spending returned', { claim });
  return commandOutcomeOf(released);
}
