import type { OnFatal } from '../../runtime/lease.ts';
import { type CommandOutcome, runProcessManager } from '../../runtime/run-process-manager.ts';
import type { Running } from '../../runtime/running.ts';
import type { WebhookContext } from '../../webhooks/context.ts';
import { keySettingsIn } from './key-settings.ts';
import { scheduleDeliveries } from './process-manager.ts';
import { scheduleDelivery } from './schedule-delivery.ts';

const CHECKPOINT_MS = 30_000;
/** Interval of retries; new events are scheduled at once. */
const INTERVAL_MS = 1_000;
const EVENTS_AT_ONCE = 64;
/** Pause after a fault (a bug, an unavailable store): a retry at once would probably fail too. */
const FAULT_PAUSE_MS = 5_000;
const LATER = { kind: 'later' } as const;

/** Schedules a delivery for each public event that a receiver listens for. */
export async function runScheduleDeliveries(context: WebhookContext, onFatal: OnFatal): Promise<Running> {
  const stopping = new AbortController();
  const settingsAt = keySettingsIn(context.store);
  const running = await runProcessManager({
    ...context,
    onFatal,
    manager: scheduleDeliveries,
    keyOf: ({ key }) => key,
    maxInFlight: EVENTS_AT_ONCE,
    startAtOnce: true,
    intervalMs: INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    execute: (command) =>
      pausedAfterFault(
        async () => ((await scheduleDelivery(command, context, settingsAt)) ? { kind: 'done' } : LATER),
        context,
        stopping.signal,
      ),
  });
  return {
    stop() {
      stopping.abort();
      return running.stop();
    },
  };
}

async function pausedAfterFault(
  work: () => Promise<CommandOutcome>,
  { clock, log }: WebhookContext,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  try {
    return await work();
  } catch (fault) {
    log.error('webhook delivery failed unexpectedly', { retryMs: FAULT_PAUSE_MS, fault });
    await clock.until(clock.nowMs() + FAULT_PAUSE_MS, signal);
    return LATER;
  }
}
