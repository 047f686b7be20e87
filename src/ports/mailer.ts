/** A mail address and its display name, `''` for none. Neither contains a line break. */
export type MailAddress = { readonly name: string; readonly address: string };

/** An inline image that the HTML part shows as `cid:{contentId}`, and that a reader can save as a file. */
export type MailImage = { readonly contentId: string; readonly fileName: string; readonly png: Uint8Array };

/** A mail to one recipient, as plain texts. The adapter encodes them. */
export type Mail = {
  /** `<…@…>`, the same at every attempt, so that a duplicate can be recognised. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: MailAddress;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Language of all texts, BCP 47. */
  readonly language: string;
  readonly images: readonly MailImage[];
  /** The Date header, in ms since the epoch. */
  readonly dateMs: number;
};

/** The outcome of one attempt. */
export type MailOutcome =
  /** The receiving server has taken over responsibility. `providerId` is its id of the mail, if it returned one. */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /**
   * Not accepted, or unknown. `reason` is a code for operators, without personal data and secrets. `permanent`: another
   * attempt to send this mail to this recipient would fail too.
   */
  | { readonly kind: 'failed'; readonly reason: string; readonly permanent: boolean };

/**
 * Sends mails. Contract: a crash of this process loses no accepted mail; a mail whose Message-ID was accepted before may be
 * sent again and is accepted again; no outcome is thrown; every attempt ends.
 */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>;
  /** Accepts no more mails. Attempts in progress have a moment to end, and fail after it. */
  close(): Promise<void>;
}
