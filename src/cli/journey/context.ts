import type { Clock } from '../../ports/clock.ts';
import type { Client, Headers } from './client.ts';
import type { Receiver } from './receiver.ts';
import type { Steps } from './step.ts';

/** Shared by all steps. */
export type JourneyContext = Steps & {
  readonly clientWith: (credential: Headers) => Client;
  readonly operator: Client;
  /** Sends no credential. */
  readonly anybody: Client;
  readonly receiver: Receiver;
  readonly clock: Clock;
  /** Runs at the end even if a step failed; the last one added runs first. */
  addCleanUp(cleanUp: () => Promise<void>): void;
};

/** The same, with the key that the journey created. */
export type AgentContext = JourneyContext & { readonly keyId: string; readonly agent: Client };

/** The activity and date to book. */
export type Choice = {
  readonly activityId: string;
  readonly title: string;
  readonly venueId: string;
  readonly date: string;
  /** Whether `date` is today in the city: a gate accepts a voucher on its date only. */
  readonly today: boolean;
  readonly freeSlots: number;
  readonly groundTruth: number;
};

/** The booking as execute_booking returned it; `position` is the header with which a query sees it. */
export type Booked = {
  readonly id: string;
  readonly voucherCode: string;
  readonly qrUrl: string;
  readonly position: Headers;
};

export const GUEST = { name: 'Ada Lovelace', adults: 2 } as const;

/** Another address in each journey: an address gets at most 20 mails a day. */
export function guestEmail(keyId: string): string {
  return `${keyId}@example.com`;
}

/** In Bangkok some activities close after midnight, so that a visit is possible at almost any hour. */
export const CITY = 'Bangkok';
