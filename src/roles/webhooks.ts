import packageJson from '../../package.json' with { type: 'json' };
import { openSender } from '../adapters/http/sender.ts';
import { type CarriedOut, runProcessManager } from '../application/run-process-manager.ts';
import type { Divided } from '../application/share-work.ts';
import type { Begun, GiveUp } from '../application/under-lease.ts';
import type { Config } from '../config.ts';
import { AGAIN_MS, type AttemptCommand, attemptKey, webhookDeliverer } from '../domain/delivery/deliverer.ts';
import { webhookFanOut } from '../domain/delivery/fan-out.ts';
import { partOf } from '../domain/delivery/lanes.ts';
import { MOST } from '../domain/delivery/pools.ts';
import { SenderClosed } from '../ports/sender.ts';
import { activitiesIn, keptActivities } from '../webhooks/activities-at.ts';
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
/** What the pools of lanes allow together. */
const ATTEMPTS_AT_ONCE = Object.values(MOST).reduce((sum, most) => sum + most, 0);
/** A fault (a bug, a store that is away) is most likely still there at the next look. */
const FAULT_PAUSE_MS = 5_000;
const LATER = { kind: 'later' } as const;

/** What webhooks work with on this node; the sender is the caller's to close. */
export function webhookContext(
  shared: Omit<WebhookContext, 'activityAt' | 'sender' | 'version' | 'webhookLimits'>,
  { production, webhookTimeoutMs, webhookLogDays, webhookSuspendDays }: Config,
): WebhookContext {
  return {
    ...shared,
    activityAt: keptActivities(activitiesIn(shared.store)),
    sender: openSender(destinations(production)),
    version: packageJson.version,
    webhookLimits: { timeoutMs: webhookTimeoutMs, logDays: webhookLogDays, suspendDays: webhookSuspendDays },
  };
}

/** Schedules a delivery for every event and receiver. */
export async function runFanOut(context: WebhookContext, giveUp: GiveUp): Promise<Begun> {
  const stopping = new AbortController();
  const running = await runProcessManager({
    ...context,
    giveUp,
    manager: webhookFanOut,
    keyOf: ({ key }) => key,
    maxInFlight: EVENTS_AT_ONCE,
    prompt: true,
    intervalMs: FAN_OUT_INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut: (command) =>
      patiently(
        async () => ((await scheduleDelivery(command, context)) ? { kind: 'done' } : LATER),
        context,
        stopping.signal,
      ),
  });
  return stoppedBy(stopping, running);
}

/**
 * Makes the attempts at deliveries, in the parts that are taken. A stop waits a moment for those that are under way; what had no answer by then is
 * attempted again by whoever comes next.
 */
export async function runDeliverer(shared: WebhookContext, { production }: Config, giveUp: GiveUp): Promise<Divided> {
  const context = { ...shared, sender: openSender(destinations(production)) };
  const running = await runProcessManager({
    ...context,
    giveUp,
    manager: webhookDeliverer,
    keyOf: attemptKey,
    partOf: ({ lane }) => partOf(lane),
    maxInFlight: ATTEMPTS_AT_ONCE,
    prompt: true,
    intervalMs: DELIVERER_INTERVAL_MS,
    checkpointMs: CHECKPOINT_MS,
    carryOut: (command) => attempted(command, context),
  });
  return {
    takePart: (part) => running.takePart(part),
    async stop() {
      await Promise.all([running.stop(), context.sender.close()]);
    },
  };
}

function stoppedBy(stopping: AbortController, running: Begun): Begun {
  return {
    stop() {
      stopping.abort();
      return running.stop();
    },
  };
}

/** After a fault: tells it, and waits with the next try. */
async function patiently(
  work: () => Promise<CarriedOut>,
  { clock, log }: WebhookContext,
  signal: AbortSignal,
): Promise<CarriedOut> {
  try {
    return await work();
  } catch (fault) {
    log.error('webhook met a fault', { retryMs: FAULT_PAUSE_MS, fault });
    await clock.until(clock.nowMs() + FAULT_PAUSE_MS, signal);
    return LATER;
  }
}

/** After a fault: tells it, and leaves the lane to others. After the sender was closed: nothing, since the node stops. */
async function attempted(command: AttemptCommand, context: WebhookContext): Promise<CarriedOut> {
  try {
    const position = await attemptDelivery(command, context);
    if (position === 'gone') return { kind: 'done' };
    return position === null ? LATER : { kind: 'recorded', position };
  } catch (fault) {
    if (!(fault instanceof SenderClosed)) context.log.error('webhook met a fault', { retryMs: AGAIN_MS, fault });
    return LATER;
  }
}
