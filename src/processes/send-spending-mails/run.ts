import type { Streams } from '../../application/streams.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import type { ExistingKey } from '../../domain/apikey/apikey.ts';
import { useIn } from '../../domain/spending/decider.ts';
import {
  type Spending,
  type SpendingCommand,
  type SpendingId,
  spendingDay,
  type Warning,
} from '../../domain/spending/spending.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { MailOutcome } from '../../ports/mailer.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { Running } from '../../runtime/running.ts';
import type { MailSender, OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { singleLine } from '../../vouchers/plain-text.ts';
import { spendingMail } from '../../vouchers/spending-mail.ts';
import { type EndedAttempt, identifyAttempt, type MailSettings, runPendingMails } from '../run-pending-mails.ts';
import { sendSpendingMails, sendSpendingMailsKey } from './process-manager.ts';

const DECISION_MS = 10_000;

export type SendSpendingMailsContext = {
  readonly streams: Pick<Streams, 'spendings' | 'apiKeys'>;
  readonly store: DecodedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sender: MailSender;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly onFatal: OnFatal;
};

const NO_CONTACT: MailOutcome = { kind: 'failed', reason: 'no contact address', permanent: true };

/** Mails a key's contact when the day's limit is nearly used up. For `stop` see runPendingMails. */
export function runSendSpendingMails(context: SendSpendingMailsContext): Promise<Running> {
  const { streams, log } = context;
  return runPendingMails({
    ...context,
    manager: sendSpendingMails,
    keyOf: sendSpendingMailsKey,
    nextAttempt: ({ spending }) => nextAttempt(spending, context),
    logFailure: ({ spending }, failure) => log.warn('spending mail failed', { spending, ...failure }),
    record({ spending }, ended, cause, deadlineMs) {
      const command = recordOf(ended);
      return streams.spendings.handle(spending, command, cause, deadlineMs);
    },
  });
}

/** A day has one warning, so its mail needs no number. */
function recordOf(ended: EndedAttempt): SpendingCommand {
  if (ended.kind === 'accepted') {
    const { messageId, providerId, at } = ended.data;
    return { type: 'RecordWarningMailed', messageId, providerId, at };
  }
  const { messageId, attempt, reason, retryAtMs, at } = ended.data;
  return { type: 'RecordWarningMailFailed', messageId, attempt, reason, retryAtMs, at };
}

async function nextAttempt(id: SpendingId, context: SendSpendingMailsContext) {
  const { sender, config, streams, clock } = context;
  const deadlineMs = clock.nowMs() + DECISION_MS;
  const reply = await streams.spendings.read(id, deadlineMs);
  if (reply.kind !== 'state') return null;
  const { warning } = reply.state;
  if (warning === null || warning.mail.status === 'ended') return null;
  const key = await streams.apiKeys.read(spendingDay(id).keyId, deadlineMs);
  if (key.kind !== 'state' || key.state.status === 'none') return null;
  const { contactEmail: to } = key.state.facts;
  const attempt = identifyAttempt(warning.mail, id, 1, config);
  const { messageId } = attempt;
  const view = { id, spending: reply.state, warning, key: key.state };
  const send = async () => (to === null ? NO_CONTACT : sender.send(compose(view, { messageId, to }, context)));
  return { ...attempt, send };
}

function compose(
  {
    id,
    spending,
    warning,
    key: { facts },
  }: {
    readonly id: SpendingId;
    readonly spending: Spending;
    readonly warning: Warning;
    readonly key: ExistingKey;
  },
  { messageId, to }: { readonly messageId: string; readonly to: string },
  { config, clock, publicUrl }: SendSpendingMailsContext,
): OutgoingMail {
  const { currency, boundMinor, rates } = warning;
  const { day } = spendingDay(id);
  const texts = spendingMail({
    keyName: singleLine(facts.name),
    keyPrefix: facts.prefix,
    day,
    use: toDecimal(useIn(currency, spending, rates), currency),
    bound: toDecimal(boundMinor, currency),
    currency,
    resetsAt: new Date(Date.parse(day) + DAY_MS).toISOString(),
    publicUrl: publicUrl(),
  });
  const dateMs = clock.nowMs();
  return { ...texts, messageId, from: config.from, to: { name: '', address: to }, language: 'en', dateMs, qr: null };
}
