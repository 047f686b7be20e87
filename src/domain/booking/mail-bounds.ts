import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { Fingerprint } from '../ids.ts';
import type { SentMails } from './state.ts';

/** Maximum number of a booking's mails in any 60 minutes. */
export const MAX_MAILS_AN_HOUR = 5;
/** Maximum number of different addresses that a booking is ever mailed to. */
export const MAX_RECIPIENTS = 6;
/** Recorded as the reason of a mail that the bounds of mails delayed or refused. */
export const MAIL_LIMIT = 'mail limit';

export const NO_MAILS: SentMails = { last: [], recipients: [] };

/** A mail to `recipient`: the booking's first one, one of `allowed` further ones, or beyond the bounds of a booking. */
export type MailAllowance = 'first' | 'allowed' | 'beyond';

export function mailAllowance({ last, recipients }: SentMails, recipient: Fingerprint, nowMs: number): MailAllowance {
  if (last.length === 0) return 'first';
  const recent = last.filter(({ atMs }) => atMs > nowMs - HOUR_MS).length;
  const another = !recipients.includes(recipient);
  return recent >= MAX_MAILS_AN_HOUR || (another && recipients.length >= MAX_RECIPIENTS) ? 'beyond' : 'allowed';
}

/** Adds an accepted mail; `at` is ISO 8601 UTC. */
export function withMail(
  { last, recipients }: SentMails,
  { issue, recipient, at }: { readonly issue: number; readonly recipient: Fingerprint | null; readonly at: string },
): SentMails {
  const another = recipient !== null && !recipients.includes(recipient);
  return {
    last: [...last, { issue, atMs: Date.parse(at) }].slice(-MAX_MAILS_AN_HOUR),
    recipients: another ? [...recipients, recipient] : recipients,
  };
}
