import type { Mail, Mailer, MailImage, MailOutcome } from '../ports/mailer.ts';
import { qrPng } from './qr.ts';

/** A mail with the text of the QR code instead of its image, because drawing the image is expensive. */
export type OutgoingMail = Omit<Mail, 'images'> & { readonly qr: MailQrCode | null };

type MailQrCode = { readonly contentId: string; readonly fileName: string; readonly text: string };

/** Sends mails in this thread or in a worker. Every mail has an outcome; `send` never throws. */
export type MailSender = {
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /** Refuses new mails, waits a short time for the mails being sent, and fails the rest. */
  close(): Promise<void>;
};

/**
 * Draws the QR code, if there is one, and sends the mail.
 * @throws Error if the text is longer than a QR code can hold
 */
export async function sendMail({ qr, ...mail }: OutgoingMail, mailer: Mailer): Promise<MailOutcome> {
  return mailer.send({ ...mail, images: qr === null ? [] : [mailImage(qr)] });
}

function mailImage({ contentId, fileName, text }: MailQrCode): MailImage {
  return { contentId, fileName, png: qrPng(text) };
}
