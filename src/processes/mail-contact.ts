import type { ExistingKey } from '../domain/apikey/apikey.ts';
import { markedIfTest } from '../vouchers/details.ts';
import { type AttemptOutcome, type CountedMailing, sendCounted } from './counted-mail.ts';
import type { MailSettings } from './run-pending-mails.ts';

type ContactMail = {
  /** The endpoint or the day that the mail is about. */
  readonly about: string;
  readonly messageId: string;
  readonly texts: { readonly subject: string; readonly text: string; readonly html: string };
};

type Mailing = CountedMailing & { readonly config: Pick<MailSettings, 'from'> };

/** Sends a mail in English to the contact of a key, later if its address has had too many. Fails for good without a contact. */
export async function mailContact(
  { mode, facts }: ExistingKey,
  { about, messageId, texts }: ContactMail,
  { config, ...mailing }: Mailing,
): Promise<AttemptOutcome> {
  const { contactEmail: address } = facts;
  if (address === null) return { kind: 'failed', reason: 'no contact address', permanent: true };
  const mail = {
    ...texts,
    subject: markedIfTest(texts.subject, { test: mode === 'test' }),
    messageId,
    from: config.from,
    to: { name: '', address },
    language: 'en',
    dateMs: mailing.clock.nowMs(),
    qr: null,
  };
  return sendCounted(mail, { about, whenFull: 'wait' }, mailing);
}
