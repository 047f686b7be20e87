import type { Config } from '../config.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import type { ErasureLedger } from '../ports/erasure-ledger.ts';
import type { Mailer } from '../ports/mailer.ts';
import { cancelDates } from '../processes/cancel-dates/process-manager.ts';
import { runCancelDates } from '../processes/cancel-dates/run.ts';
import { creditVisits } from '../processes/credit-visits/process-manager.ts';
import { type CreditVisitsContext, runCreditVisits } from '../processes/credit-visits/run.ts';
import { PARTITIONS } from '../processes/deliver-webhooks/endpoint-queues.ts';
import { deliverWebhooks } from '../processes/deliver-webhooks/process-manager.ts';
import { runDeliverWebhooks } from '../processes/deliver-webhooks/run.ts';
import { type EndExperimentsContext, runEndExperiments } from '../processes/end-experiments/run.ts';
import { endOverdueBookings } from '../processes/end-overdue-bookings/process-manager.ts';
import { runEndOverdueBookings } from '../processes/end-overdue-bookings/run.ts';
import { type EraseExpiredGuestsContext, runEraseExpiredGuests } from '../processes/erase-expired-guests/run.ts';
import { reapClaims } from '../processes/reap-claims/process-manager.ts';
import { runReapClaims } from '../processes/reap-claims/run.ts';
import { recordErasures } from '../processes/record-erasures/process-manager.ts';
import { type RecordErasuresContext, runRecordErasures } from '../processes/record-erasures/run.ts';
import { type RefreshFlashDealsContext, runRefreshFlashDeals } from '../processes/refresh-flash-deals/run.ts';
import { type Resealing, runResealSecrets } from '../processes/reseal-secrets/run.ts';
import { scheduleDeliveries } from '../processes/schedule-deliveries/process-manager.ts';
import { runScheduleDeliveries } from '../processes/schedule-deliveries/run.ts';
import { sendBookingMails } from '../processes/send-booking-mails/process-manager.ts';
import { runSendBookingMails, type SendBookingMailsContext } from '../processes/send-booking-mails/run.ts';
import { sendSpendingMails } from '../processes/send-spending-mails/process-manager.ts';
import { runSendSpendingMails } from '../processes/send-spending-mails/run.ts';
import { sendSuspensionMails } from '../processes/send-suspension-mails/process-manager.ts';
import { runSendSuspensionMails } from '../processes/send-suspension-mails/run.ts';
import { settleSpending } from '../processes/settle-spending/process-manager.ts';
import { runSettleSpending } from '../processes/settle-spending/run.ts';
import { suspendEndpoints } from '../processes/suspend-endpoints/process-manager.ts';
import { runSuspendEndpoints } from '../processes/suspend-endpoints/run.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import type { ManagerParking } from '../runtime/parked-commands.ts';
import type { Running } from '../runtime/running.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import { openMailSender } from './mail-sender.ts';
import { openWebhookSender } from './webhooks.ts';

type Context = Pick<SendBookingMailsContext, 'streams' | 'publicUrl' | 'notifier' | 'mailLimiter'> &
  Pick<SendBookingMailsContext & RefreshFlashDealsContext, 'catalogue'> &
  Pick<RefreshFlashDealsContext & EndExperimentsContext & CreditVisitsContext, 'readModels' | 'collection'> &
  Pick<CreditVisitsContext & EraseExpiredGuestsContext, 'caughtUp'> & {
    readonly webhooks: WebhookContext;
    readonly signingKeys: { readonly current: SigningKey };
    /** Null: nothing is sealed with a replaced secret key. */
    readonly resealing: Resealing | null;
    /** Replaces the configured mailer; null: the configured one. */
    readonly mailer: Mailer | null;
    readonly parking: ManagerParking;
    readonly erasures: ErasureLedger;
    /** Null: no flash deals. */
    readonly dealPolicy: DealPolicy | null;
  };

/** All process managers, and the streams that they follow. */
export const PROCESS_MANAGERS: readonly { readonly name: string; readonly categories: readonly string[] }[] = [
  reapClaims,
  endOverdueBookings,
  cancelDates,
  scheduleDeliveries,
  deliverWebhooks,
  suspendEndpoints,
  sendBookingMails,
  settleSpending,
  sendSpendingMails,
  sendSuspensionMails,
  creditVisits,
  recordErasures,
].map(({ name, categories }) => ({ name, categories }));

/**
 * Runs the process managers. Each runs on one node at a time, and the deliveries are divided among the nodes. After a stop
 * no command starts; those in progress have a moment to end.
 */
export async function openProcessManagers(
  { runAsLeader, runPartitioned }: LeaderElection,
  context: Context,
  config: Config,
): Promise<Running> {
  const { signingKeys, resealing, mailer, dealPolicy } = context;
  const webhooks = { ...context.webhooks, parking: context.parking };
  const { store, clock, ids, digest, log } = webhooks;
  const working = { ...context, store, clock, ids, digest, log };
  // Before the reaper, whose first entry would hide that the ledger was empty.
  const erasing = await openErasing(runAsLeader, working, config);
  const reaper = await runAsLeader(reapClaims.name, (onFatal) =>
    runReapClaims({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const overdueBookings = await runAsLeader(endOverdueBookings.name, (onFatal) =>
    runEndOverdueBookings({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const dates = await runAsLeader(cancelDates.name, (onFatal) =>
    runCancelDates({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const deals =
    dealPolicy === null
      ? []
      : [await runAsLeader('flash-deals', async () => runRefreshFlashDeals({ ...working, policy: dealPolicy }))];
  const experiments = await runAsLeader('experiments', async () => runEndExperiments(working));
  const resealer =
    resealing === null ? [] : [await runAsLeader('reseal-secrets', async () => runResealSecrets(resealing, working))];
  const scheduler = await runAsLeader(scheduleDeliveries.name, (onFatal) => runScheduleDeliveries(webhooks, onFatal));
  const deliverer = await runPartitioned({ name: deliverWebhooks.name, partitions: PARTITIONS }, (onFatal) =>
    runDeliverWebhooks({ ...webhooks, sender: openWebhookSender(config) }, onFatal),
  );
  const voucherMails = await runAsLeader(sendBookingMails.name, (onFatal) =>
    runSendBookingMails({
      ...working,
      onFatal,
      signingKey: signingKeys.current,
      sender: openMailSender(config, mailer, log),
      config: config.mail,
      support: config.supportContact,
    }),
  );
  const suspension = await openSuspension(runAsLeader, { ...context, webhooks }, config);
  const spending = await runAsLeader(settleSpending.name, (onFatal) =>
    runSettleSpending({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  const spendingMails = await runAsLeader(sendSpendingMails.name, (onFatal) => {
    const sender = openMailSender(config, mailer, log);
    return runSendSpendingMails({ ...working, sender, config: config.mail, onFatal });
  });
  const credits = await runAsLeader(creditVisits.name, (onFatal) =>
    runCreditVisits({ ...working, onFatal, intervalMs: config.reaperMs }),
  );
  return {
    async stop() {
      // First, so that no delivery is scheduled while the last attempts are made.
      await scheduler.stop();
      const timed = [reaper, overdueBookings, dates, experiments, credits, erasing, ...deals, ...resealer];
      const others = [deliverer, voucherMails, suspension, spending, spendingMails, ...timed];
      await Promise.all(others.map((other) => other.stop()));
    },
  };
}

/** Suspends endpoints that only fail, and mails their owners (docs/decisions/0039). */
async function openSuspension(
  runAsLeader: LeaderElection['runAsLeader'],
  { webhooks, mailer, ...context }: Pick<Context, 'webhooks' | 'parking' | 'publicUrl' | 'mailer' | 'mailLimiter'>,
  config: Config,
): Promise<Running> {
  const reports = await runAsLeader(suspendEndpoints.name, (onFatal) => runSuspendEndpoints(webhooks, onFatal));
  const mails = await runAsLeader(sendSuspensionMails.name, (onFatal) => {
    const sender = openMailSender(config, mailer, webhooks.log);
    return runSendSuspensionMails({ ...context, webhooks, sender, config: config.mail, onFatal });
  });
  return {
    async stop() {
      await Promise.all([reports.stop(), mails.stop()]);
    },
  };
}

/** Lists erasures in the ledger, and erases guests whose data was kept long enough (docs/decisions/0088). */
async function openErasing(
  runAsLeader: LeaderElection['runAsLeader'],
  working: Omit<RecordErasuresContext & EraseExpiredGuestsContext, 'onFatal' | 'intervalMs' | 'retentionMs'>,
  { reaperMs, guestRetentionMs }: Config,
): Promise<Running> {
  const ledger = await runAsLeader(recordErasures.name, (onFatal) =>
    runRecordErasures({ ...working, onFatal, intervalMs: reaperMs }),
  );
  const retention =
    guestRetentionMs === null
      ? []
      : [
          await runAsLeader('guest-retention', async () =>
            runEraseExpiredGuests({ ...working, retentionMs: guestRetentionMs }),
          ),
        ];
  return {
    async stop() {
      await Promise.all([ledger, ...retention].map((each) => each.stop()));
    },
  };
}
