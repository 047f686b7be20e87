import type { ExistingKey } from '../../domain/apikey/apikey.ts';
import type { EndpointCommand, EndpointId, SuspendedEndpoint } from '../../domain/endpoint/endpoint.ts';
import { mailRetryDelayMs } from '../../domain/pending-mails.ts';
import type { MailOutcome } from '../../ports/mailer.ts';
import type { Abandon } from '../../runtime/lease.ts';
import type { Running } from '../../runtime/running.ts';
import type { MailSender, OutgoingMail } from '../../vouchers/outgoing-mail.ts';
import { singleLine } from '../../vouchers/plain-text.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { readEndpoint } from '../../webhooks/endpoint-state.ts';
import { suspensionMail } from '../../webhooks/suspension-mail.ts';
import { type MailSettings, runPendingMails } from '../pending-mails.ts';
import { sendSuspensionMails, suspensionMailerKey } from './process-manager.ts';

type RecordCommand = Extract<EndpointCommand, { type: 'RecordSuspensionMailed' | 'RecordSuspensionMailFailed' }>;

export type SuspensionMailsContext = {
  readonly webhooks: Pick<WebhookContext, 'streams' | 'store' | 'clock' | 'ids' | 'log' | 'webhookLimits'>;
  readonly sender: MailSender;
  readonly config: MailSettings;
  /** Without a trailing slash; '' until the service listens. */
  readonly publicUrl: () => string;
  readonly abandon: Abandon;
};

const NOBODY: MailOutcome = { kind: 'failed', reason: 'no contact address', permanent: true };

/**
 * Mails the contact of a key when a receiver of it is suspended (docs/decisions/0039). For `stop` see runPendingMails.
 */
export function runSendSuspensionMails(context: SuspensionMailsContext): Promise<Running> {
  const { webhooks, config } = context;
  const { streams, clock, ids } = webhooks;
  return runPendingMails({
    ...webhooks,
    ...context,
    manager: sendSuspensionMails,
    keyOf: suspensionMailerKey,
    connections: config.connections,
    attempt: ({ endpoint }, stopping) => attempt(endpoint, stopping, context),
    record({ endpoint }, command) {
      const nowMs = clock.nowMs();
      const at = new Date(nowMs).toISOString();
      const cause = { correlationId: ids.uuid(), causationId: null, by: sendSuspensionMails.name, at };
      return streams.endpoints.handle(endpoint, command, cause, nowMs + DECISION_MS);
    },
  });
}

/** One attempt to send the mail. @returns the outcome to record; null if there is nothing to send now */
async function attempt(
  id: EndpointId,
  stopping: AbortSignal,
  context: SuspensionMailsContext,
): Promise<RecordCommand | null> {
  const { sender } = context;
  const { streams, clock, log } = context.webhooks;
  const endpoint = await readEndpoint(id, context.webhooks);
  if (endpoint.status !== 'suspended' || endpoint.mail.status === 'ended') return null;
  const { facts, mail, suspensions: issue, failingSince, error } = endpoint;
  // Logged here and not at the suspension, so that a crash can repeat the line but not lose it.
  if (mail.status === 'unsent') log.warn('webhook endpoint suspended', { endpoint: id, ...facts, failingSince, error });
  const key = await streams.apiKeys.read(facts.keyId, clock.nowMs() + DECISION_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return null;
  const messageId = mail.status === 'failing' ? mail.messageId : messageIdOf(id, issue, context);
  const { contactEmail } = key.state.facts;
  const outcome =
    contactEmail === null
      ? NOBODY
      : await sender.send(composed(endpoint, key.state, { messageId, to: contactEmail }, context));
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  if (outcome.kind === 'accepted') {
    return { type: 'RecordSuspensionMailed', issue, messageId, providerId: outcome.providerId, at };
  }
  // Aborted by the stop, not refused by the mail server: repeated after the next start.
  if (stopping.aborted) return null;
  const { reason, permanent } = outcome;
  const tried = mail.status === 'failing' ? mail.attempts + 1 : 1;
  const delayMs = permanent ? null : mailRetryDelayMs(tried);
  const retryAtMs = delayMs === null ? null : nowMs + delayMs;
  log.warn('suspension mail failed', { endpoint: id, messageId, attempt: tried, reason, retryAtMs });
  return { type: 'RecordSuspensionMailFailed', issue, messageId, attempt: tried, reason, retryAtMs, at };
}

function composed(
  { facts, failingSince, since, error }: SuspendedEndpoint,
  { facts: key }: ExistingKey,
  { messageId, to }: { readonly messageId: string; readonly to: string },
  { webhooks, config, publicUrl }: SuspensionMailsContext,
): OutgoingMail {
  const texts = suspensionMail({
    facts,
    keyName: singleLine(key.name),
    keyPrefix: key.prefix,
    failingSince,
    suspendedSince: since,
    error,
    logDays: webhooks.webhookLimits.logDays,
    publicUrl: publicUrl(),
  });
  const dateMs = webhooks.clock.nowMs();
  return { ...texts, messageId, from: config.from, to: { name: '', address: to }, language: 'en', dateMs, qr: null };
}

/** Message-ID of the first attempt; repeated attempts keep it, even if the sender's domain changes. */
function messageIdOf(id: EndpointId, issue: number, { config }: SuspensionMailsContext): string {
  return `<${id}.${issue}@${config.from.address.replace(/^.*@/, '')}>`;
}
