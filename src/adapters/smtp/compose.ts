import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../ports/mailer.ts';

/**
 * A mail as nodemailer takes it: a text part, and an HTML part with its pictures. Names and addresses are handed over
 * apart, so that none is ever read as a list of addresses, and no part is read from a file or fetched.
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
    // RFC 3834: no "out of office" comes back.
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
