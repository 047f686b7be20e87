import type { Begun, GiveUp } from '../application/under-lease.ts';
import type { MailConfig } from '../config.ts';
import type { ExistingKey } from '../domain/apikey/apikey.ts';
import type { EndpointCommand, EndpointId, SuspendedEndpoint } from '../domain/endpoint/endpoint.ts';
import { suspensionMailer, suspensionMailerKey } from '../domain/endpoint/suspension-mailer.ts';
import { mailRetryDelayMs } from '../domain/owed-mails.ts';
import type { MailOutcome } from '../ports/mailer.ts';
import { oneLine } from '../vouchers/plain-text.ts';
import { DECISION_MS, type WebhookContext } from '../webhooks/context.ts';
import { readEndpoint } from '../webhooks/endpoint-state.ts';
import { suspensionMail } from '../webhooks/suspension-mail.ts';
import type { Letter } from './letters.ts';
import type { MailSender } from './mail-sender.ts';
import { runOwedMails } from './owed-mails.ts';

type RecordCommand = Extract<EndpointCommand, { type: 'RecordSuspensionMailed' | 'RecordSuspensionMailFailed' }>;

export type SuspensionMailsContext = {
  readonly webhooks: Pick<WebhookContext, 'streams' | 'store' | 'clock' | 'ids' | 'log' | 'webhookLimits'>;
  readonly sender: MailSender;
  readonly config: Pick<MailConfig, 'from' | 'connections'>;
  /** Without a slash at the end; '' while the service does not know yet where it listens. */
  readonly publicUrl: () => string;
  readonly giveUp: GiveUp;
};

const NOBODY: MailOutcome = { kind: 'failed', reason: 'no contact address', permanent: true };

/**
 * Tells the contact of a key that a receiver of it is suspended (docs/decisions/0039). A stop begins nothing more, gives what
 * is under way a moment, and closes the sender.
 */
export function runSuspensionMails(context: SuspensionMailsContext): Promise<Begun> {
  const { webhooks, config } = context;
  const { streams, clock, ids } = webhooks;
  return runOwedMails({
    ...webhooks,
    ...context,
    manager: suspensionMailer,
    keyOf: suspensionMailerKey,
    connections: config.connections,
    attempt: ({ endpoint }, stopping) => attempt(endpoint, stopping, context),
    record({ endpoint }, command) {
      const nowMs = clock.nowMs();
      const at = new Date(nowMs).toISOString();
      const cause = { correlationId: ids.uuid(), causationId: null, by: suspensionMailer.name, at };
      return streams.endpoints.handle(endpoint, command, cause, nowMs + DECISION_MS);
    },
  });
}

/** One attempt at the mail, and what is to be recorded of it; null where there is nothing to send now. */
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
  // Here, where it is owed until it is done: a crash repeats it, and does not pass over it.
  if (mail.status === 'unsent') log.warn('webhook endpoint suspended', { endpoint: id, ...facts, failingSince, error });
  const key = await streams.apiKeys.read(facts.keyId, clock.nowMs() + DECISION_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return null;
  const messageId = mail.status === 'failing' ? mail.messageId : messageIdOf(id, issue, context);
  const { contactEmail } = key.state.facts;
  const outcome =
    contactEmail === null
      ? NOBODY
      : await sender.send(letter(endpoint, key.state, { messageId, to: contactEmail }, context));
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  if (outcome.kind === 'accepted') {
    return { type: 'RecordSuspensionMailed', issue, messageId, providerId: outcome.providerId, at };
  }
  // Given up by us and not refused: it is repeated after the start.
  if (stopping.aborted) return null;
  const { reason, permanent } = outcome;
  const tried = mail.status === 'failing' ? mail.attempts + 1 : 1;
  const delayMs = permanent ? null : mailRetryDelayMs(tried);
  const retryAtMs = delayMs === null ? null : nowMs + delayMs;
  log.warn('suspension mail failed', { endpoint: id, messageId, attempt: tried, reason, retryAtMs });
  return { type: 'RecordSuspensionMailFailed', issue, messageId, attempt: tried, reason, retryAtMs, at };
}

function letter(
  { facts, failingSince, since, error }: SuspendedEndpoint,
  { facts: key }: ExistingKey,
  { messageId, to }: { readonly messageId: string; readonly to: string },
  { webhooks, config, publicUrl }: SuspensionMailsContext,
): Letter {
  const texts = suspensionMail({
    facts,
    keyName: oneLine(key.name),
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

/** The same at every attempt: one that has failed is repeated with its own, also where the sender's domain was changed. */
function messageIdOf(id: EndpointId, issue: number, { config }: SuspensionMailsContext): string {
  return `<${id}.${issue}@${config.from.address.replace(/^.*@/, '')}>`;
}
