import type { Clock } from '../../ports/clock.ts';
import type { Client, Credential } from './client.ts';
import type { Outbox } from './outbox.ts';
import type { Receiver } from './receiver.ts';
import type { Steps } from './step.ts';

/** Shared by all steps. */
export type JourneyContext = {
  readonly ask: Client;
  readonly operator: Credential;
  readonly receiver: Receiver;
  /** Null if the service runs on another machine. */
  readonly outbox: Outbox | null;
  readonly clock: Clock;
  readonly steps: Steps;
  /** Runs at the end even if a step failed; the last one added runs first. */
  addCleanUp(cleanUp: () => Promise<void>): void;
};

/** The key that the journey created. */
export type OwnKey = {
  readonly id: string;
  readonly prefix: string;
  readonly credential: Credential;
  /** Version of the service, from GET /api/health. */
  readonly version: string;
};

/** The activity and date to book. Prices in major units of the currency. */
export type Choice = {
  readonly activityId: string;
  readonly title: string;
  readonly venueId: string;
  readonly date: string;
  /** Per person. */
  readonly price: number;
  readonly currency: string;
  /** Whether `date` is today in the city: a gate accepts a voucher on its date only. */
  readonly today: boolean;
  readonly freeSlots: number;
  readonly groundTruth: number;
};

/** The booking as execute_booking returned it. */
export type Booked = {
  readonly id: string;
  readonly voucherCode: string;
  readonly qrUrl: string;
  readonly total: number;
  /** Header with which a query sees the booking. */
  readonly position: Readonly<Record<string, string>>;
};

export const GUEST = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  adults: 2,
  wish: 'A quiet table, please',
} as const;

/** In Bangkok some activities close after midnight, so that a visit is possible at almost any hour. */
export const CITY = 'Bangkok';
