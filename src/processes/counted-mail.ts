import { fingerprintOfAddress } from '../application/identifiers.ts';
import { MAIL_LIMIT } from '../domain/booking/mail-bounds.ts';
import type { Fingerprint } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { MailLimiter } from '../ports/mail-limiter.ts';
import type { MailOutcome } from '../ports/mailer.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { MailSender, OutgoingMail } from '../vouchers/outgoing-mail.ts';

/** `recipient`: fingerprint of the address. `delayed`: nothing was sent; the next attempt is at `untilMs` (ms since the epoch). */
export type AttemptOutcome =
  | Exclude<MailOutcome, { kind: 'accepted' }>
  | (Extract<MailOutcome, { kind: 'accepted' }> & { readonly recipient: Fingerprint })
  | { readonly kind: 'delayed'; readonly reason: string; readonly untilMs: number };

/** Beyond the bounds of mails: not sent, now or later. */
export const NOT_SENT = { kind: 'failed', reason: MAIL_LIMIT, permanent: true } as const;

export type CountedMailing = {
  readonly sender: MailSender;
  readonly mailLimiter: Pick<MailLimiter, 'take'>;
  readonly digest: Digest;
  readonly clock: Pick<Clock, 'nowMs'>;
};

type Counting = {
  /** The booking or endpoint that the mail is about. */
  readonly about: string;
  /** Counts for the address in this context only, apart from its other mails; undefined: with them. */
  readonly apart?: string;
  /** What happens beyond the limit of the address. */
  readonly whenFull: 'wait' | 'refuse';
};

/** Counts a mail for its address, then sends it, in this order: a crash in between sends too few mails, never too many. */
export async function sendCounted(
  mail: OutgoingMail,
  { about, apart, whenFull }: Counting,
  { sender, mailLimiter, digest, clock }: CountedMailing,
): Promise<AttemptOutcome> {
  const recipient = fingerprintOfAddress(digest, mail.to.address);
  const address = apart === undefined ? recipient : fingerprintOfAddress(digest, `${mail.to.address} ${apart}`);
  try {
    const counted = { address, about, messageId: mail.messageId };
    const taking = await mailLimiter.take(counted, whenFull, clock.nowMs());
    if (taking.kind === 'refused') return NOT_SENT;
    if (taking.kind === 'waits') return { kind: 'delayed', reason: MAIL_LIMIT, untilMs: taking.untilMs };
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    return { kind: 'failed', reason: 'usage counters unavailable', permanent: false };
  }
  const outcome = await sender.send(mail);
  return outcome.kind === 'accepted' ? { ...outcome, recipient } : outcome;
}
