import type { Known } from './load.ts';

type Cancellation = NonNullable<Known['booking']['cancellation']>;

/** Reasons of cancellations, as guests and agents may read them. */
export const REASONS: Readonly<Record<Cancellation['reason'], string>> = {
  user_requested: 'The guests asked',
  venue_unavailable: 'The venue is not available',
  weather: 'Weather',
  system: 'A fault of the service',
};

/** @returns what is refunded, for an amount in words */
export function refundIn(status: Cancellation['refund_status'], amount: string): string {
  if (status === 'none') return 'Nothing is refunded.';
  return status === 'pending' ? `${amount} will be refunded.` : `${amount} refunded.`;
}

export const NOT_MAILED: Readonly<Record<NonNullable<Known['booking']['email_reason']>, string>> = {
  TEST_MODE: 'no: the test key has no contact address',
  MAIL_LIMIT: 'no: the limit of mails was reached',
};

/** How a pending booking reaches its venue. */
export const VENUE_REQUESTS: Readonly<Record<NonNullable<Known['booking']['venue_request']>, string>> = {
  mailed: 'by mail; it answers by the link in it',
  waiting: 'not yet: the mail is being sent',
  not_mailed: 'no: the mail was not sent. Ask the venue, then confirm or reject here',
  no_contact: 'no: the venue has no contact. Ask the venue, then confirm or reject here',
  test: 'no: a venue is not asked for a test booking. Confirm or reject here',
};
