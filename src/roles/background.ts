import type { Begun } from '../application/under-lease.ts';
import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { webhookDeliverer } from '../domain/delivery/deliverer.ts';
import { PARTS } from '../domain/delivery/lanes.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { runBookingDeadlines } from './booking-deadlines.ts';
import type { Engines } from './engines.ts';
import { type FlashDealsContext, runFlashDeals } from './flash-deals.ts';
import { openMailSender } from './mail-sender.ts';
import { runReaper } from './reaper.ts';
import { openSuspension } from './suspension.ts';
import { runVoucherMails, type VoucherMailsContext } from './voucher-mails.ts';
import { runDeliverer, runFanOut } from './webhooks.ts';

type Context = Pick<VoucherMailsContext, 'streams' | 'publicUrl' | 'watch'> &
  Pick<VoucherMailsContext & FlashDealsContext, 'catalogue'> &
  Pick<FlashDealsContext, 'readModels' | 'collection'> & {
    readonly webhooks: WebhookContext;
    readonly signingKeys: { readonly current: SigningKey };
    /** In the place of the configured one; null: as configured. */
    readonly mailer: Mailer | null;
    /** Null: no flash deals are made. */
    readonly dealPolicy: DealPolicy | null;
  };

/**
 * What follows the log and acts on it: claims given back, bookings ended, flash deals made, receivers told and suspended,
 * vouchers mailed. Of each there is one in the whole service; telling receivers is shared by the nodes. A stop begins nothing
 * more, and gives what is under way a moment.
 */
export async function openBackground(
  { singly, shared }: Pick<Engines, 'singly' | 'shared'>,
  context: Context,
  config: Config,
): Promise<Begun> {
  const { webhooks, signingKeys, mailer, dealPolicy } = context;
  const { store, clock, ids, log } = webhooks;
  const working = { ...context, store, clock, ids, log };
  const reaper = await singly('claim-reaper', (giveUp) =>
    runReaper({ ...working, giveUp, intervalMs: config.reaperMs }),
  );
  const deadlines = await singly('booking-deadlines', (giveUp) =>
    runBookingDeadlines({ ...working, giveUp, intervalMs: config.reaperMs }),
  );
  const deals =
    dealPolicy === null
      ? []
      : [await singly('flash-deals', async () => runFlashDeals({ ...working, policy: dealPolicy }))];
  const fanOut = await singly('webhook-fan-out', (giveUp) => runFanOut(webhooks, giveUp));
  const deliverer = await shared({ name: webhookDeliverer.name, parts: PARTS }, (giveUp) =>
    runDeliverer(webhooks, config, giveUp),
  );
  const voucherMails = await singly('voucher-mailer', (giveUp) =>
    runVoucherMails({
      ...working,
      giveUp,
      signingKey: signingKeys.current,
      sender: openMailSender(config, mailer, log),
      config: config.mail,
    }),
  );
  const suspension = await openSuspension(singly, context, config);
  return {
    async stop() {
      // Nothing more is scheduled while the last attempts are made.
      await fanOut.stop();
      const others = [deliverer, voucherMails, reaper, deadlines, suspension, ...deals];
      await Promise.all(others.map((other) => other.stop()));
    },
  };
}
