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
import type { Digest } from '../../ports/digest.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import type { Running } from '../../runtime/running.ts';
import type { MailSender } from '../../vouchers/outgoing-mail.ts';
import { nameInMail } from '../../vouchers/plain-text.ts';
import { spendingMail } from '../../vouchers/spending-mail.ts';
import { mailContact } from '../mail-contact.ts';
import { type EndedAttempt, identifyAttempt, type MailSettings, runPendingMails } from '../run-pending-mails.ts';
import { sendSpendingMails, sendSpendingMailsKey } from './process-manager.ts';

const DECISION_MS = 10_000;

export type SendSpendingMailsContext = WithParking & {
  readonly streams: Pick<Streams, 'spendings' | 'apiKeys'>;
  readonly store: DecodedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sender: MailSender;
  readonly mailLimiter: MailLimiter;
  readonly digest: Digest;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly onFatal: OnFatal;
};

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
  const { config, streams, clock } = context;
  const deadlineMs = clock.nowMs() + DECISION_MS;
  const reply = await streams.spendings.read(id, deadlineMs);
  if (reply.kind !== 'state') return null;
  const { warning } = reply.state;
  if (warning === null || warning.mail.status === 'ended') return null;
  const owner = await streams.apiKeys.read(spendingDay(id).keyId, deadlineMs);
  if (owner.kind !== 'state' || owner.state.status === 'none') return null;
  const { state: key } = owner;
  const attempt = identifyAttempt(warning.mail, id, 1, config);
  const { messageId } = attempt;
  const texts = textsOf(id, { spending: reply.state, warning, key }, context);
  return { ...attempt, send: () => mailContact(key, { about: id, messageId, texts }, context) };
}

function textsOf(
  id: SpendingId,
  {
    spending,
    warning: { currency, boundMinor, rates },
    key: { facts },
  }: { readonly spending: Spending; readonly warning: Warning; readonly key: ExistingKey },
  { publicUrl }: SendSpendingMailsContext,
) {
  const { day } = spendingDay(id);
  return spendingMail({
    keyName: nameInMail(facts.name),
    keyPrefix: facts.prefix,
    day,
    use: toDecimal(useIn(currency, spending, rates), currency),
    bound: toDecimal(boundMinor, currency),
    currency,
    resetsAt: new Date(Date.parse(day) + DAY_MS).toISOString(),
    publicUrl: publicUrl(),
  });
}
