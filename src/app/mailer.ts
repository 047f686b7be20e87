import { outboxMailer } from '../adapters/smtp/outbox-mailer.ts';
import type { SmtpServer } from '../adapters/smtp/server.ts';
import { smtpMailer } from '../adapters/smtp/smtp-mailer.ts';
import type { Mailer } from '../ports/mailer.ts';

/** Deadline of one attempt to send a mail. */
export const ATTEMPT_MS = 60_000;

/** Settings of the mailer. Plain data, so that it can be posted to a worker. */
export type MailRoute = {
  /** Null: mails are written to the outbox directory. */
  readonly server: SmtpServer | null;
  readonly ca: string | null;
  readonly connections: number;
  readonly outbox: string;
};

export function openMailer({ server, ca, connections, outbox }: MailRoute): Mailer {
  return server === null ? outboxMailer(outbox) : smtpMailer({ server, ca, connections, attemptMs: ATTEMPT_MS });
}
