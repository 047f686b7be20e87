import type { Begun } from '../application/under-lease.ts';
import type { Config } from '../config.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { runEndpointWatch } from './endpoint-watch.ts';
import { openMailSender } from './mail-sender.ts';
import type { Singly } from './singly.ts';
import { runSuspensionMails } from './suspension-mails.ts';

type Context = {
  readonly webhooks: WebhookContext;
  readonly publicUrl: () => string;
  /** In the place of the configured one; null: as configured. */
  readonly mailer: Mailer | null;
};

/** Suspends receivers that only fail, and tells their owners (docs/decisions/0039). */
export async function openSuspension(
  singly: Singly,
  { webhooks, publicUrl, mailer }: Context,
  config: Config,
): Promise<Begun> {
  const watch = await singly('endpoint-watch', (giveUp) => runEndpointWatch(webhooks, giveUp));
  const mails = await singly('suspension-mailer', (giveUp) => {
    const sender = openMailSender(config, mailer, webhooks.log);
    return runSuspensionMails({ webhooks, sender, config: config.mail, publicUrl, giveUp });
  });
  return {
    async stop() {
      await Promise.all([watch.stop(), mails.stop()]);
    },
  };
}
