import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../ports/mailer.ts';

/**
 * A mail for nodemailer: a text part, and an HTML part with its images. Passes names and addresses separately, so that
 * nodemailer never parses an address list; no part is read from a file or fetched.
 */
export function composed(mail: Mail): SendMailOptions {
  const { messageId, from, to, subject, text, html, language, images, dateMs } = mail;
  return {
    messageId,
    from,
    to,
    subject,
    text,
    html,
    date: new Date(dateMs),
    // RFC 3834: suppresses automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    attachments: images.map(({ contentId, fileName, png }) => ({
      cid: contentId,
      filename: fileName,
      content: Buffer.from(png),
      contentType: 'image/png',
      contentDisposition: 'inline',
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
