import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import type { Mailer } from '../ports/mailer.ts';
import { PARTITIONS } from '../processes/deliver-webhooks/endpoint-queues.ts';
import { deliverWebhooks } from '../processes/deliver-webhooks/process-manager.ts';
import { runDeliverWebhooks } from '../processes/deliver-webhooks/run.ts';
import { runEndOverdueBookings } from '../processes/end-overdue-bookings/run.ts';
import { runReapClaims } from '../processes/reap-claims/run.ts';
import { type FlashDealsContext, runFlashDeals } from '../processes/refresh-flash-deals/run.ts';
import { runScheduleDeliveries } from '../processes/schedule-deliveries/run.ts';
import { runSendSuspensionMails } from '../processes/send-suspension-mails/run.ts';
import { runSendVoucherMails, type VoucherMailsContext } from '../processes/send-voucher-mails/run.ts';
import { runSuspendEndpoints } from '../processes/suspend-endpoints/run.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import type { Running } from '../runtime/running.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { openMailSender } from './mail-sender.ts';
import { openWebhookSender } from './webhooks.ts';

type Context = Pick<VoucherMailsContext, 'streams' | 'publicUrl' | 'notifier'> &
  Pick<VoucherMailsContext & FlashDealsContext, 'catalogue'> &
  Pick<FlashDealsContext, 'readModels' | 'collection'> & {
    readonly webhooks: WebhookContext;
    readonly signingKeys: { readonly current: SigningKey };
    /** Replaces the configured mailer; null: the configured one. */
    readonly mailer: Mailer | null;
    /** Null: no flash deals. */
    readonly dealPolicy: DealPolicy | null;
  };

/**
 * Runs the process managers. Each runs on one node at a time, and the deliveries are divided among the nodes. After a stop
 * no command starts; those in progress have a moment to end.
 */
export async function openProcessManagers(
  { runAsLeader, runPartitioned }: LeaderElection,
  context: Context,
  config: Config,
): Promise<Running> {
  const { webhooks, signingKeys, mailer, dealPolicy } = context;
  const { store, clock, ids, log } = webhooks;
  const working = { ...context, store, clock, ids, log };
  const reaper = await runAsLeader('claim-reaper', (onFatal) =>
    runReapClaims({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const deadlines = await runAsLeader('booking-deadlines', (onFatal) =>
    runEndOverdueBookings({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const deals =
    dealPolicy === null
      ? []
      : [await runAsLeader('flash-deals', async () => runFlashDeals({ ...working, policy: dealPolicy }))];
  const fanOut = await runAsLeader('webhook-fan-out', (onFatal) => runScheduleDeliveries(webhooks, onFatal));
  const deliverer = await runPartitioned({ name: deliverWebhooks.name, partitions: PARTITIONS }, (onFatal) =>
    runDeliverWebhooks({ ...webhooks, sender: openWebhookSender(config) }, onFatal),
  );
  const voucherMails = await runAsLeader('voucher-mailer', (onFatal) =>
    runSendVoucherMails({
      ...working,
      onFatal,
      signingKey: signingKeys.current,
      sender: openMailSender(config, mailer, log),
      config: config.mail,
    }),
  );
  const suspension = await openSuspension(runAsLeader, context, config);
  return {
    async stop() {
      // First, so that no delivery is scheduled while the last attempts are made.
      await fanOut.stop();
      const others = [deliverer, voucherMails, reaper, deadlines, suspension, ...deals];
      await Promise.all(others.map((other) => other.stop()));
    },
  };
}

/** Suspends endpoints that only fail, and mails their owners (docs/decisions/0039). */
async function openSuspension(
  runAsLeader: LeaderElection['runAsLeader'],
  { webhooks, publicUrl, mailer }: Pick<Context, 'webhooks' | 'publicUrl' | 'mailer'>,
  config: Config,
): Promise<Running> {
  const monitor = await runAsLeader('endpoint-watch', (onFatal) => runSuspendEndpoints(webhooks, onFatal));
  const mails = await runAsLeader('suspension-mailer', (onFatal) => {
    const sender = openMailSender(config, mailer, webhooks.log);
    return runSendSuspensionMails({ webhooks, sender, config: config.mail, publicUrl, onFatal });
  });
  return {
    async stop() {
      await Promise.all([monitor.stop(), mails.stop()]);
    },
  };
}
