import type { AdmissionContext } from '../application/admit-key.ts';
import type { AuthenticationContext } from '../application/authenticate.ts';
import type { BookingContext, Catalogue } from '../application/booking-context.ts';
import type { MailWatch } from '../application/mail-watch.ts';
import type { KeysContext } from '../application/manage-keys.ts';
import type { Activity } from '../domain/activity/activity.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { Weather } from '../ports/weather.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';

export type GuestLimits = { readonly maxAdults: number; readonly maxChildren: number; readonly maxGuests: number };

/** The projections as an operator sees them. */
export type Operations = {
  status(): Promise<
    readonly {
      readonly name: string;
      readonly caughtUp: boolean;
      readonly rebuild: object | null;
      readonly lastRebuild: object | null;
    }[]
  >;
  /** Starts a rebuild; its progress is in the status. */
  rebuild(
    name: string,
  ): Promise<
    { readonly kind: 'started' | 'running' } | { readonly kind: 'unknown'; readonly known: readonly string[] }
  >;
};

/** Everything the HTTP room works with; put together in roles. */
export type HttpContext = BookingContext &
  KeysContext &
  AuthenticationContext &
  AdmissionContext & {
    readonly catalogue: Catalogue & {
      values(): Iterable<{ readonly activity: Activity; readonly listed: boolean; readonly updatedAt: string }>;
    };
    readonly exchangeRates: ExchangeRates;
    readonly readModels: ReadModelStore;
    /** The collection that serves a projection's queries now. */
    readonly collection: (projection: string) => string;
    /** Waits a moment for a projection to pass a position, so that a caller reads what it wrote. */
    readonly waitFor: (projection: string, position: Position, timeoutMs: number) => Promise<boolean>;
    /** Waits until this node's own memory of keys and devices holds a position. */
    readonly passed: (position: Position) => Promise<void>;
    readonly operations: Operations;
    readonly signingKeys: { readonly current: SigningKey; readonly all: readonly SigningKey[] };
    readonly webhooks: WebhookContext;
    readonly guestLimits: GuestLimits;
    readonly mails: MailWatch;
    /** How long the answer to a booking waits for its mail; 0: not at all. */
    readonly mailWaitMs: number;
    readonly weather: Weather;
    /** Without a slash at the end. */
    readonly publicUrl: () => string;
    readonly production: boolean;
    readonly version: string;
    readonly ready: () => Readonly<Record<string, boolean>>;
    readonly log: Log;
  };
