import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { Fingerprint } from '../ids.ts';
import type { SentMails } from './state.ts';

/** Maximum number of a booking's mails in any 60 minutes. */
export const MAX_MAILS_AN_HOUR = 5;
/** Maximum number of different addresses that a booking is ever mailed to. */
export const MAX_RECIPIENTS = 6;
/** Recorded as the reason of a mail that the bounds of mails delayed or refused. */
export const MAIL_LIMIT = 'mail limit';

export const NO_MAILS: SentMails = { last: [], recipients: [], voucher: false };

/** A mail to `recipient`: the booking's first voucher, one of `allowed` others, or beyond the bounds of a booking. */
export type MailAllowance = 'first' | 'allowed' | 'beyond';

/** Before the first voucher mail, notices leave one mail an hour and one address to it, so that it never exceeds the bounds. */
export function mailAllowance(
  of: 'voucher' | 'notice',
  { last, recipients, voucher }: SentMails,
  recipient: Fingerprint,
  nowMs: number,
): MailAllowance {
  if (of === 'voucher' && !voucher) return 'first';
  const reserved = voucher ? 0 : 1;
  const recent = last.filter(({ atMs }) => atMs > nowMs - HOUR_MS).length;
  const another = !recipients.includes(recipient);
  return recent >= MAX_MAILS_AN_HOUR - reserved || (another && recipients.length >= MAX_RECIPIENTS - reserved)
    ? 'beyond'
    : 'allowed';
}

type AcceptedMail = {
  readonly of: 'voucher' | 'notice';
  readonly issue: number;
  readonly recipient: Fingerprint | null;
  readonly at: string;
};

/** Adds an accepted mail; `at` is ISO 8601 UTC. */
export function withMail(
  { last, recipients, voucher }: SentMails,
  { of, issue, recipient, at }: AcceptedMail,
): SentMails {
  const another = recipient !== null && !recipients.includes(recipient);
  return {
    last: [...last, { of, issue, atMs: Date.parse(at) }].slice(-MAX_MAILS_AN_HOUR),
    recipients: another ? [...recipients, recipient] : recipients,
    voucher: voucher || of === 'voucher',
  };
}
