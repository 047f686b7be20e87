import type { Config } from '../config.ts';
import type { Mailer } from '../ports/mailer.ts';
import { runSendSuspensionMails } from '../processes/send-suspension-mails/run.ts';
import { runSuspendEndpoints } from '../processes/suspend-endpoints/run.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import type { Running } from '../runtime/running.ts';

import type { WebhookContext } from '../webhooks/context.ts';
import { openMailSender } from './mail-sender.ts';

type Context = {
  readonly webhooks: WebhookContext;
  readonly publicUrl: () => string;
  /** Replaces the configured mailer; null: the configured one. */
  readonly mailer: Mailer | null;
};

/** Suspends endpoints that only fail, and mails their owners (docs/decisions/0039). */
export async function openSuspension(
  runAsLeader: LeaderElection['runAsLeader'],
  { webhooks, publicUrl, mailer }: Context,
  config: Config,
): Promise<Running> {
  const monitor = await runAsLeader('endpoint-watch', (abandon) => runSuspendEndpoints(webhooks, abandon));
  const mails = await runAsLeader('suspension-mailer', (abandon) => {
    const sender = openMailSender(config, mailer, webhooks.log);
    return runSendSuspensionMails({ webhooks, sender, config: config.mail, publicUrl, abandon });
  });
  return {
    async stop() {
      await Promise.all([monitor.stop(), mails.stop()]);
    },
  };
}
