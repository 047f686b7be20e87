import type { ExistingKey } from '../../domain/apikey/apikey.ts';
import type { EndpointCommand, EndpointId, SuspendedEndpoint } from '../../domain/endpoint/endpoint.ts';
import type { MailLimiter } from '../../ports/mail-limiter.ts';
import type { OnFatal } from '../../runtime/lease.ts';
import type { WithParking } from '../../runtime/parked-commands.ts';
import type { Running } from '../../runtime/running.ts';
import type { MailSender } from '../../vouchers/outgoing-mail.ts';
import { nameInMail } from '../../vouchers/plain-text.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { readEndpoint } from '../../webhooks/endpoint-state.ts';
import { suspensionMail } from '../../webhooks/suspension-mail.ts';
import { mailContact } from '../mail-contact.ts';
import { identifyAttempt, type MailSettings, runPendingMails } from '../run-pending-mails.ts';
import { sendSuspensionMails, sendSuspensionMailsKey } from './process-manager.ts';

export type SendSuspensionMailsContext = WithParking & {
  readonly webhooks: Pick<WebhookContext, 'streams' | 'store' | 'clock' | 'ids' | 'digest' | 'log' | 'webhookLimits'>;
  readonly sender: MailSender;
  readonly mailLimiter: MailLimiter;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly onFatal: OnFatal;
};

/**
 * Mails the contact of a key when a receiver of it is suspended (docs/decisions/0039). For `stop` see runPendingMails.
 */
export function runSendSuspensionMails(context: SendSuspensionMailsContext): Promise<Running> {
  const { streams, log } = context.webhooks;
  return runPendingMails({
    ...context.webhooks,
    ...context,
    manager: sendSuspensionMails,
    keyOf: sendSuspensionMailsKey,
    nextAttempt: ({ endpoint }) => nextAttempt(endpoint, context),
    logFailure: ({ endpoint }, failure) => log.warn('suspension mail failed', { endpoint, ...failure }),
    record({ endpoint }, { kind, data }, cause, deadlineMs) {
      const command: EndpointCommand =
        kind === 'accepted'
          ? { type: 'RecordSuspensionMailed', ...data }
          : { type: 'RecordSuspensionMailFailed', ...data };
      return streams.endpoints.handle(endpoint, command, cause, deadlineMs);
    },
  });
}

async function nextAttempt(id: EndpointId, context: SendSuspensionMailsContext) {
  const { sender, mailLimiter, config } = context;
  const { streams, clock, digest, log } = context.webhooks;
  const endpoint = await readEndpoint(id, context.webhooks);
  if (endpoint.status !== 'suspended' || endpoint.mail.status === 'ended') return null;
  const { facts, mail, suspensions, failingSince, error } = endpoint;
  // Logged here and not at the suspension, so that a crash can repeat the line but not lose it.
  if (mail.status === 'unsent') log.warn('webhook endpoint suspended', { endpoint: id, ...facts, failingSince, error });
  const key = await streams.apiKeys.read(facts.keyId, clock.nowMs() + DECISION_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return null;
  const { state } = key;
  const attempt = identifyAttempt(mail, id, suspensions, config);
  const { messageId } = attempt;
  const texts = textsOf(endpoint, state, context);
  const mailing = { sender, mailLimiter, config, clock, digest };
  return { ...attempt, send: () => mailContact(state, { about: id, messageId, texts }, mailing) };
}

function textsOf(
  { facts, failingSince, since, error }: SuspendedEndpoint,
  { facts: key }: ExistingKey,
  { webhooks, publicUrl }: SendSuspensionMailsContext,
) {
  return suspensionMail({
    facts,
    keyName: nameInMail(key.name),
    keyPrefix: key.prefix,
    failingSince,
    suspendedSince: since,
    error,
    logDays: webhooks.webhookLimits.logDays,
    publicUrl: publicUrl(),
  });
}
