import type { ExistingKey } from '../domain/apikey/apikey.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailOutcome } from '../ports/mailer.ts';
import { markedIfTest } from '../vouchers/details.ts';
import type { MailSender } from '../vouchers/outgoing-mail.ts';
import type { MailSettings } from './run-pending-mails.ts';

type ContactMail = {
  readonly messageId: string;
  readonly texts: { readonly subject: string; readonly text: string; readonly html: string };
};

type Mailing = { readonly sender: MailSender; readonly config: Pick<MailSettings, 'from'>; readonly clock: Clock };

/** Sends a mail in English to the contact of a key. Fails for good without a contact. */
export async function mailContact(
  { mode, facts }: ExistingKey,
  { messageId, texts }: ContactMail,
  { sender, config, clock }: Mailing,
): Promise<MailOutcome> {
  const { contactEmail: address } = facts;
  if (address === null) return { kind: 'failed', reason: 'no contact address', permanent: true };
  return sender.send({
    ...texts,
    subject: markedIfTest(texts.subject, { test: mode === 'test' }),
    messageId,
    from: config.from,
    to: { name: '', address },
    language: 'en',
    dateMs: clock.nowMs(),
    qr: null,
  });
}
