import type { Email } from 'postal-mime';
import type { Mail, Mailer } from '../../../src/ports/mailer.ts';

/** A mailer under test and its receiving side. */
export type OpenedMailer = AsyncDisposable & {
  readonly mailer: Mailer;
  /** The arrived mails, parsed, in no order. */
  arrived(): Promise<readonly { readonly mail: Email; readonly raw: string }[]>;
};

/** A mail with a small image. */
export function aMail(change: Partial<Mail> = {}): Mail {
  return {
    messageId: '<bk_1.1@waymark.localhost>',
    from: { name: 'Waymark', address: 'vouchers@waymark.localhost' },
    to: { name: 'Ada Lovelace', address: 'ada@example.com' },
    subject: 'Your voucher: River Walk, 22 Nov 2026',
    text: 'Hello Ada,\n\nthis is your voucher.',
    html: '<p>Hello Ada</p><img src="cid:qr.1@waymark.localhost" alt="">',
    language: 'en',
    images: [{ contentId: 'qr.1@waymark.localhost', fileName: 'voucher-qr.png', png: WHITE_PIXEL }],
    dateMs: Date.parse('2026-11-21T03:00:00Z'),
    ...change,
  };
}

const WHITE_PIXEL = Uint8Array.from(
  Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4AWNoAAAAggCBd81ytgAAAABJRU5ErkJggg==', 'base64'),
);

/** The sent mail, read from the arrived one. */
export function readBack({ mail }: { readonly mail: Email }): Omit<Mail, 'language'> & { readonly language: string } {
  const header = (name: string): string => mail.headers.find(({ key }) => key === name)?.value ?? '';
  const mailbox = (one: Email['from']) => ({ name: one?.name ?? '', address: one?.address ?? '' });
  return {
    messageId: mail.messageId ?? '',
    from: mailbox(mail.from),
    to: mailbox(mail.to?.[0]),
    subject: mail.subject ?? '',
    text: (mail.text ?? '').replace(/\r?\n$/, ''),
    html: (mail.html ?? '').replace(/\r?\n$/, ''),
    language: header('content-language'),
    images: mail.attachments.map(({ contentId = '', filename, content }) => ({
      contentId: contentId.replace(/^<|>$/g, ''),
      fileName: filename ?? '',
      png: typeof content === 'string' ? new Uint8Array() : new Uint8Array(content),
    })),
    dateMs: Date.parse(mail.date ?? ''),
  };
}
