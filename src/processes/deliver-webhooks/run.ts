import { SenderClosed } from '../../ports/sender.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import type { PartitionedWork } from '../../runtime/partitions.ts';
import { type CommandOutcome, runProcessManager } from '../../runtime/run-process-manager.ts';
import type { WebhookContext } from '../../webhooks/context.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { CAPACITY } from './bulkheads.ts';
import { partitionOf } from './endpoint-queues.ts';
import { AGAIN_MS, type AttemptCommand, attemptKey, deliverWebhooks } from './process-manager.ts';

const CHECKPOINT_MS = 30_000;
/** Maximum delay of a retry after its due time. */
const INTERVAL_MS = 200;
/** Sum of the limits of all bulkheads. */
const ATTEMPTS_AT_ONCE = Object.values(CAPACITY).reduce((sum, most) => sum + most, 0);
const LATER = { kind: 'later' } as const;

/**
 * Attempts the deliveries of the partitions that this node holds. A stop closes the context's sender and waits a moment
 * for attempts under way; the next node repeats those that had no answer.
 */
export async function runDeliverWebhooks(
  context: WebhookContext & WithParking,
  onFatal: OnFatal,
): Promise<PartitionedWork> {
  const running = await runProcessManager({
    ...context,
    onFatal,
    manager: deliverWebhooks,
    keyOf: attemptKey,
    partitionOf: ({ queueKey }) => partitionOf(queueKey),
    maxInFlight: ATTEMPTS_AT_ONCE,
    startAtOnce: true,
    intervalMs: INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    execute: (command) => attemptOrLog(command, context),
  });
  return {
    acquire: (partition) => running.acquire(partition),
    async stop() {
      await Promise.all([running.stop(), context.sender.close()]);
    },
  };
}

/**
 * Logs a fault and lets other deliveries of the queue go first. A closed sender is not a fault: the node is stopping.
 */
async function attemptOrLog(command: AttemptCommand, context: WebhookContext): Promise<CommandOutcome> {
  try {
    const position = await attemptDelivery(command, context);
    if (position === 'gone') return { kind: 'done' };
    return position === null ? LATER : { kind: 'recorded', position };
  } catch (fault) {
    if (fault instanceof SenderClosed) return LATER;
    context.log.error('webhook delivery failed unexpectedly', { retryMs: AGAIN_MS, fault });
    return { kind: 'failed', fault };
  }
}
