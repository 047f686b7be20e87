import type { AdmissionContext } from '../application/admit-key.ts';
import type { AuthenticationContext } from '../application/authenticate.ts';
import type { BookingContext, Catalogue } from '../application/booking-context.ts';
import type { UseCount } from '../application/count-use.ts';
import type { MailWatch } from '../application/mail-watch.ts';
import type { KeysContext } from '../application/manage-keys.ts';
import type { Activity } from '../domain/activity/activity.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { RecommendContext } from '../recommend/recommend.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';

export type GuestLimits = { readonly maxAdults: number; readonly maxChildren: number; readonly maxGuests: number };

/** A projection as an operator sees it. */
export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly collection: string;
  readonly position: Position;
  readonly head: Position;
  readonly caughtUp: boolean;
  /** `events` is null where another node counts them. */
  readonly rebuild: { readonly events: number | null; readonly position: Position; readonly head: Position } | null;
  readonly lastRebuild: RebuildOutcome | null;
};

export type Operations = {
  status(): Promise<readonly ProjectionStatus[]>;
  /** Starts a rebuild; its progress is in the status. */
  rebuild(
    name: string,
  ): Promise<
    { readonly kind: 'started' | 'running' } | { readonly kind: 'unknown'; readonly known: readonly string[] }
  >;
};

/** One message to the tool server as it came, and the way to this very service for the calls it makes. */
export type ToolMessage = {
  readonly message: unknown;
  readonly headers: Headers;
  readonly requestId: string;
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
};

/** The way to this very service for calls on behalf of whoever is at an address (null: not known). */
export type SendFor = (path: string, init: RequestInit, address: string | null) => Promise<Response>;

/** Everything the HTTP room works with; put together in roles. */
export type HttpContext = BookingContext &
  RecommendContext &
  KeysContext &
  AuthenticationContext &
  AdmissionContext & {
    readonly catalogue: Catalogue & {
      values(): Iterable<{
        readonly activity: Activity;
        readonly revision: number;
        readonly listed: boolean;
        readonly updatedAt: string;
      }>;
    };
    readonly exchangeRates: ExchangeRates;
    readonly readModels: ReadModelStore;
    /** The collection that serves a projection's queries now. */
    readonly collection: (projection: string) => Promise<string>;
    /** Waits a moment for a projection to pass a position, so that a caller reads what it wrote. */
    readonly waitFor: (projection: string, position: Position, timeoutMs: number) => Promise<boolean>;
    /** Waits a moment until this node's own memory of keys or devices holds a position. */
    readonly passed: (known: 'keys' | 'devices', position: Position) => Promise<void>;
    /** Waits a moment until what recommend knows in this node's memory holds a position. */
    readonly candidatesPassed: (position: Position, timeoutMs: number) => Promise<void>;
    readonly operations: Operations;
    readonly toolServer: (message: ToolMessage) => Promise<Response>;
    readonly signingKeys: { readonly current: SigningKey; readonly all: readonly SigningKey[] };
    readonly webhooks: WebhookContext;
    readonly guestLimits: GuestLimits;
    readonly mails: MailWatch;
    /** How long the answer to a booking waits for its mail; 0: not at all. */
    readonly mailWaitMs: number;
    /** Without a slash at the end. */
    readonly publicUrl: () => string;
    readonly production: boolean;
    readonly version: string;
    readonly ready: () => Readonly<Record<string, boolean>>;
    /** Where a request came from, behind proxies that are trusted; null where that is not known. */
    readonly addressOf: (request: Request) => string | null;
    readonly use: UseCount;
    readonly log: Log;
  };
