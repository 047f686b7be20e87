import packageJson from '../../package.json' with { type: 'json' };
import { openSender } from '../adapters/http/sender.ts';
import { type CarriedOut, type RunningProcessManager, runProcessManager } from '../application/run-process-manager.ts';
import type { Config } from '../config.ts';
import { attemptKey, webhookDeliverer } from '../domain/delivery/deliverer.ts';
import { webhookFanOut } from '../domain/delivery/fan-out.ts';
import { SenderClosed } from '../ports/sender.ts';
import { attemptDelivery } from '../webhooks/attempt-delivery.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { destinations } from '../webhooks/destination.ts';
import { scheduleDelivery } from '../webhooks/schedule-delivery.ts';

const CHECKPOINT_MS = 30_000;
/** What could not be done is looked at again so often; what is new begins at once. */
const FAN_OUT_INTERVAL_MS = 1_000;
const EVENTS_AT_ONCE = 64;
/** How late a retry may begin. */
const DELIVERER_INTERVAL_MS = 200;
/** Attempts mostly wait for somebody else's server: many at once cost little, and a dead receiver holds only its lane. */
const ATTEMPTS_AT_ONCE = 1_024;
const ATTEMPTS_PER_RECEIVER = 8;
/** A fault (a bug, a store that is away) is most likely still there at the next look. */
const FAULT_PAUSE_MS = 5_000;
const LATER = { kind: 'later' } as const;

export type RunningWebhooks = {
  readonly context: WebhookContext;
  /** Attempts under way are waited for a moment; what had no answer by then is attempted again after the next start. */
  stop(): Promise<void>;
};

/** Runs what schedules deliveries, and what makes the attempts at them. */
export async function openWebhooks(
  shared: Omit<WebhookContext, 'sender' | 'version' | 'webhookLimits'>,
  { production, webhookTimeoutMs, webhookLogDays }: Config,
): Promise<RunningWebhooks> {
  const context: WebhookContext = {
    ...shared,
    sender: openSender(destinations(production)),
    version: packageJson.version,
    webhookLimits: { timeoutMs: webhookTimeoutMs, logDays: webhookLogDays },
  };
  const stopping = new AbortController();
  const fanOut = await runFanOut(context, stopping.signal);
  const deliverer = await runDeliverer(context, stopping.signal);
  return {
    context,
    async stop() {
      stopping.abort();
      await fanOut.stop();
      await Promise.all([deliverer.stop(), context.sender.close()]);
    },
  };
}

function runFanOut(context: WebhookContext, signal: AbortSignal): Promise<RunningProcessManager> {
  return runProcessManager({
    ...context,
    manager: webhookFanOut,
    keyOf: ({ key }) => key,
    maxInFlight: EVENTS_AT_ONCE,
    prompt: true,
    intervalMs: FAN_OUT_INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut: (command) =>
      patiently(async () => ((await scheduleDelivery(command, context)) ? { kind: 'done' } : LATER), context, signal),
  });
}

function runDeliverer(context: WebhookContext, signal: AbortSignal): Promise<RunningProcessManager> {
  return runProcessManager({
    ...context,
    manager: webhookDeliverer,
    keyOf: attemptKey,
    laneOf: ({ lane }) => lane,
    maxInFlight: ATTEMPTS_AT_ONCE,
    maxPerLane: ATTEMPTS_PER_RECEIVER,
    prompt: true,
    intervalMs: DELIVERER_INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut: (command) =>
      patiently(
        async () => {
          const position = await attemptDelivery(command, context);
          return position === null ? LATER : { kind: 'recorded', position };
        },
        context,
        signal,
      ),
  });
}

/** After a fault: tells it, and waits with the next try. After the sender was closed: nothing, since the node stops. */
async function patiently(
  work: () => Promise<CarriedOut>,
  { clock, log }: WebhookContext,
  signal: AbortSignal,
): Promise<CarriedOut> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof SenderClosed) return LATER;
    log.error('webhook met a fault', { retryMs: FAULT_PAUSE_MS, fault });
    await clock.until(clock.nowMs() + FAULT_PAUSE_MS, signal);
    return LATER;
  }
}
