import type { Config } from '../config.ts';
import type { HttpContext } from '../http/context.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Mailer } from '../ports/mailer.ts';
import { openMailSender } from './mail-sender.ts';
import { runReaper } from './reaper.ts';
import { runVoucherMails } from './voucher-mails.ts';
import { openWebhooks } from './webhooks.ts';

type Shared = Pick<
  HttpContext,
  'streams' | 'catalogue' | 'clock' | 'ids' | 'digest' | 'sealer' | 'log' | 'publicUrl' | 'signingKeys'
> & { readonly store: EventStore };

/** What follows the log and acts on it: claims given back, vouchers mailed, receivers told. */
export type Background = Pick<HttpContext, 'webhooks' | 'mails'> & {
  /** Begins nothing more, and gives what is under way a moment. */
  stop(): Promise<void>;
};

/** @param mailer in the place of the configured one; null: as configured */
export async function openBackground(context: Shared, config: Config, mailer: Mailer | null): Promise<Background> {
  const reaper = await runReaper({ ...context, intervalMs: config.reaperMs });
  const webhooks = await openWebhooks(context, config);
  const voucherMails = await runVoucherMails({
    ...context,
    signingKey: context.signingKeys.current,
    sender: openMailSender(config, mailer, context.log),
    config: config.mail,
  });
  return {
    webhooks: webhooks.context,
    mails: voucherMails.watch,
    async stop() {
      await Promise.all([webhooks.stop(), voucherMails.stop(), reaper.stop()]);
    },
  };
}
