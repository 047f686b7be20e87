/** A mailbox and the name shown beside it, `''` for none. Neither holds a line break. */
export type MailAddress = { readonly name: string; readonly address: string };

/** A picture that the HTML part shows under `cid:{contentId}`, and that a reader can keep as a file. */
export type MailImage = { readonly contentId: string; readonly fileName: string; readonly png: Uint8Array };

/** A mail to one reader, in plain texts: how they are encoded for the way is the adapter's work. */
export type Mail = {
  /** `<…@…>`, the same at every attempt, so that a mail that came twice can be told to be one. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: MailAddress;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47, of all its texts. */
  readonly language: string;
  readonly images: readonly MailImage[];
  /** What its Date says, in ms since the epoch. */
  readonly dateMs: number;
};

/** What became of one attempt. */
export type MailOutcome =
  /** From here on the receiving side answers for the mail. `providerId` is what it calls it, where it said so. */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /**
   * Not accepted, or not known to be. `reason` is a code for operators, without personal data and without secrets.
   * `permanent`: this mail will never be accepted for this reader, so that another attempt is of no use.
   */
  | { readonly kind: 'failed'; readonly reason: string; readonly permanent: boolean };

/**
 * Hands mails over. Contract: an accepted mail is not lost by a crash of this process; a mail with a Message-ID that was
 * accepted before may be handed over again, and is accepted again; no outcome is thrown; every attempt ends.
 */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>;
  /** Takes nothing more. What is under way has a moment to end, and is given up then: its outcome is a failure. */
  close(): Promise<void>;
}
