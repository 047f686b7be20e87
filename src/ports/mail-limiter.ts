/** Maximum number of mails to one address in any 24 hours. */
export const MAX_MAILS_A_DAY = 20;

/** A mail that counts for its address. */
export type CountedMail = {
  /** Keyed hash of the address. */
  readonly address: string;
  /** What it is about, such as a booking: a newer mail about it takes the turn of one that waits. */
  readonly about: string;
  /** The Message-ID. A mail with the same one counts once. */
  readonly messageId: string;
};

/** `waits`: full until then, in ms since the epoch. The mail has its turn at that time. */
export type MailTaking =
  | { readonly kind: 'taken' }
  | { readonly kind: 'waits'; readonly untilMs: number }
  | { readonly kind: 'refused' };

/**
 * The limit of mails to each address, over all nodes. Contract: of the mails answered `taken` for the first time, no 24
 * hours hold more than `MAX_MAILS_A_DAY`; a mail counts from its first `taken` or from its turn, and once, however often it
 * is taken within 24 hours. Mails that wait get their turns in the order in which they asked. An answer survives a kill of
 * the process. Faults (disk, network) are thrown; the mail may count then.
 */
export interface MailLimiter {
  /** `whenFull`: a mail that may be late waits, another one is refused. `atMs` is in ms since the epoch. */
  take(mail: CountedMail, whenFull: 'wait' | 'refuse', atMs: number): Promise<MailTaking>;
  close(): Promise<void>;
}
