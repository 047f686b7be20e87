import packageJson from '../../package.json' with { type: 'json' };
import { openSender } from '../adapters/http/sender.ts';
import type { Config } from '../config.ts';
import type { Sender } from '../ports/sender.ts';
import { activitiesIn, cachedActivities } from '../webhooks/activities-at.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { destinations } from '../webhooks/destination.ts';

/** Dependencies of the webhooks of this node. The caller closes the sender. */
export function webhookContext(
  shared: Omit<WebhookContext, 'activityAt' | 'sender' | 'version' | 'webhookLimits'>,
  config: Config,
): WebhookContext {
  const { webhookTimeoutMs, webhookLogDays, webhookSuspendDays } = config;
  return {
    ...shared,
    activityAt: cachedActivities(activitiesIn(shared.store)),
    sender: openWebhookSender(config),
    version: packageJson.version,
    webhookLimits: { timeoutMs: webhookTimeoutMs, logDays: webhookLogDays, suspendDays: webhookSuspendDays },
  };
}

export function openWebhookSender({ production }: Config): Sender {
  return openSender(destinations(production));
}
