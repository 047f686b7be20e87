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
