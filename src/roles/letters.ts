import { outboxMailer } from '../adapters/smtp/outbox-mailer.ts';
import type { SmtpServer } from '../adapters/smtp/server.ts';
import { smtpMailer } from '../adapters/smtp/smtp-mailer.ts';
import type { Mail, Mailer, MailImage, MailOutcome } from '../ports/mailer.ts';
import { qrPng } from '../vouchers/qr.ts';

/** One attempt ends after so long, whatever the server does. */
export const ATTEMPT_MS = 60_000;

/** A mail whose QR code, where it has one, is still to be drawn: the costly part of it. */
export type Letter = Omit<Mail, 'images'> & { readonly qr: LetterCode | null };

type LetterCode = { readonly contentId: string; readonly fileName: string; readonly token: string };

/** Where mails go. Plain data, so that a thread can be told. */
export type MailRoute = {
  /** Null: into the outbox. */
  readonly server: SmtpServer | null;
  readonly ca: string | null;
  readonly connections: number;
  readonly outbox: string;
};

export function openMailer({ server, ca, connections, outbox }: MailRoute): Mailer {
  return server === null ? outboxMailer(outbox) : smtpMailer({ server, ca, connections, attemptMs: ATTEMPT_MS });
}

/**
 * Draws the QR code, where there is one, and hands the mail over.
 * @throws Error where the token is longer than a QR code can hold
 */
export async function deliver({ qr, ...letter }: Letter, mailer: Mailer): Promise<MailOutcome> {
  return mailer.send({ ...letter, images: qr === null ? [] : [drawn(qr)] });
}

function drawn({ contentId, fileName, token }: LetterCode): MailImage {
  return { contentId, fileName, png: qrPng(token) };
}
