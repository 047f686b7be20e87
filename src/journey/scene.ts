import type { Clock } from '../ports/clock.ts';
import type { Client, Credential } from './client.ts';
import type { Outbox } from './outbox.ts';
import type { Receiver } from './receiver.ts';
import type { Steps } from './step.ts';

/** What every part of the journey plays with. */
export type Scene = {
  readonly ask: Client;
  readonly operator: Credential;
  readonly receiver: Receiver;
  /** Null where the service runs on another machine. */
  readonly outbox: Outbox | null;
  readonly clock: Clock;
  readonly steps: Steps;
  /** To be done at the end, whatever becomes of the journey; the last one first. */
  atTheEnd(cleanUp: () => Promise<void>): void;
};

/** The key that the journey made for itself. */
export type OwnKey = {
  readonly id: string;
  readonly prefix: string;
  readonly credential: Credential;
  /** As every answer of GET /api/health names it. */
  readonly version: string;
};

/** What will be booked. Prices in the currency's own precision. */
export type Choice = {
  readonly activityId: string;
  readonly title: string;
  readonly venueId: string;
  readonly date: string;
  /** Per person. */
  readonly price: number;
  readonly currency: string;
  /** Whether the date has come at the city: only then a gate lets anybody in. */
  readonly today: boolean;
  readonly freeSlots: number;
  readonly groundTruth: number;
};

/** The booking, as its own answer told it. */
export type Booked = {
  readonly id: string;
  readonly voucherCode: string;
  readonly qrUrl: string;
  readonly total: number;
  /** Of the answer: what is asked with it has seen the booking. */
  readonly position: Readonly<Record<string, string>>;
};

/** Who travels: two adults, booked under one name. */
export const GUEST = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  adults: 2,
  wish: 'A quiet table, please',
} as const;

/** Where: the city whose last place closes after midnight, so that at any hour something can be entered. */
export const CITY = 'Bangkok';
