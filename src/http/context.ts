import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { InventoryDocument } from '../../projections/inventory/read-model.ts';
import type { BookingContext } from '../application/booking/booking-context.ts';
import type { ErasingContext } from '../application/booking/erasure.ts';
import type { MailNotifier } from '../application/booking/mail-notifier.ts';
import type { AdmissionContext } from '../application/key/admit-key.ts';
import type { KeysContext } from '../application/key/manage-keys.ts';
import type { RequestStatistics } from '../application/key/request-statistics.ts';
import type { LiveUpdates } from '../application/live/live-updates.ts';
import type { Evaluations } from '../application/ops/evaluate.ts';
import type { ReaderSource } from '../application/ops/list-readers.ts';
import type { ReaderItem } from '../application/ops/parked-items.ts';
import type { SessionContext } from '../application/session/session-caller.ts';
import type { WebhookKeys } from '../application/webhook/key-of-request.ts';
import type { CityName } from '../domain/activity/cities.ts';
import type { Position, PositionForm } from '../eventsourcing/message.ts';
import type { RebuildOutcome } from '../eventsourcing/projection.ts';
import type { LeaseStatus } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';
import type { PngRenderer } from '../ports/png-renderer.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { RecommendContext } from '../recommend/recommend.ts';
import type { SupplyRefresh } from '../supply/refresh.ts';
import type { SigningKey } from '../vouchers/signing-key.ts';
import type { WebhookContext } from '../webhooks/context.ts';
import type { OverTls } from './over-tls.ts';

/** The readiness checks by name: true if the check passes; false or the reason if it fails. */
export type Checks = Readonly<Record<string, boolean | string>>;

export type GuestLimits = { readonly maxAdults: number; readonly maxChildren: number; readonly maxGuests: number };

export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly collection: string;
  readonly position: Position;
  readonly head: Position;
  readonly caughtUp: boolean;
  /** `events` is null if another node runs the rebuild. */
  readonly rebuild: { readonly events: number | null; readonly position: Position; readonly head: Position } | null;
  readonly lastRebuild: RebuildOutcome | null;
};

export type Operations = {
  status(): Promise<readonly ProjectionStatus[]>;
  /** Starts a rebuild. `status()` shows its progress. */
  rebuild(
    name: string,
  ): Promise<
    { readonly kind: 'started' | 'running' } | { readonly kind: 'unknown'; readonly known: readonly string[] }
  >;
};

/** One message to the MCP server. `send` passes the requests of its tool calls to this app. */
export type ToolMessage = {
  readonly message: unknown;
  readonly headers: Headers;
  readonly requestId: string;
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
};

/** Sends a request to this app on behalf of a client. `address` is the client's; null if unknown. */
export type SendFor = (path: string, init: RequestInit, address: string | null) => Promise<Response>;

/** The whole catalogue in memory. `HttpContext` names it first, so that `get` returns whole documents. */
type CatalogueContext = {
  readonly catalogue: {
    get(id: string): ActivityDocument | undefined;
    values(): Iterable<ActivityDocument>;
    /** The entries of a city, including retired ones. */
    inGroup(city: CityName): Iterable<ActivityDocument>;
  };
};

/** The projections for which requests wait: for the caller's position, or for the whole log. */
type FollowedProjection =
  | 'audit'
  | 'bookings'
  | 'conversions'
  | 'deliveries'
  | 'experimentanswers'
  | 'experiments'
  | 'devicedays'
  | 'devices'
  | 'devicevisits'
  | 'endpoints'
  | 'evidence'
  | 'feed'
  | 'groundtruth'
  | 'guests'
  | 'inventory'
  | 'keys'
  | 'holds'
  | 'operators'
  | 'revocations'
  | 'statements'
  | 'visits'
  | 'retention';

/** Dependencies of the HTTP layer; src/app/node.ts builds them. */
export type HttpContext = CatalogueContext &
  BookingContext &
  RecommendContext &
  KeysContext &
  SessionContext &
  AdmissionContext & {
    readonly keys: WebhookKeys;
    readonly supply: Pick<SupplyRefresh, 'status' | 'refresh'>;
    /** Also by city and date (`groupOfAllotment`). */
    readonly allotments: { inGroup(group: string): Iterable<InventoryDocument> };
    readonly readModels: ReadModelStore;
    /** The form of positions in headers and answers. */
    readonly positions: PositionForm;
    /** The collection that currently serves a projection's queries. */
    readonly collection: (projection: string) => Promise<string>;
    /** Waits until a projection has passed a position, so that callers read their own writes. False on timeout. */
    readonly waitFor: (projection: FollowedProjection, position: Position, timeoutMs: number) => Promise<boolean>;
    /** Waits until a projection has passed all that the log holds at the call. False on timeout. */
    readonly caughtUp: (projection: FollowedProjection, timeoutMs: number) => Promise<boolean>;
    /** Waits until this node's view in memory has passed a position, or for a fixed timeout. */
    readonly passed: (
      known: 'keys' | 'devices' | 'operators' | 'endedSessions' | 'experiments',
      position: Position,
    ) => Promise<boolean>;
    /** Waits until this node's in-memory data for recommendations has passed a position, or for the timeout. */
    readonly candidatesPassed: (position: Position, timeoutMs: number) => Promise<void>;
    readonly operations: Operations;
    readonly live: Pick<LiveUpdates, 'connect' | 'refuseNew'>;
    readonly erasing: ErasingContext;
    readonly evaluations: Pick<Evaluations, 'evaluate'>;
    readonly readerSources: readonly ReaderSource[];
    /** The roles of this node. */
    readonly roles: ReadonlySet<string>;
    /** This run of this node as leases name it, and all held leases; null on embedded stores, which have one node. */
    readonly leases: () => Promise<{ readonly holder: string; readonly held: readonly LeaseStatus[] } | null>;
    /** The names of all readers of the log that can leave something out. */
    readonly readers: readonly string[];
    /** What the readers of this node left out and no operator skipped. */
    readonly parked: () => readonly ReaderItem[];
    readonly toolServer: (message: ToolMessage) => Promise<Response>;
    readonly signingKeys: { readonly current: SigningKey; readonly all: readonly SigningKey[] };
    readonly webhooks: WebhookContext;
    readonly guestLimits: GuestLimits;
    readonly mails: MailNotifier;
    /** How long the answer to a booking waits until its mail is sent. 0: it does not wait. */
    readonly mailWaitMs: number;
    /** Without a trailing slash. */
    readonly publicUrl: () => string;
    readonly production: boolean;
    /** Whether the service has pages for browsers beside the API. */
    readonly hasPages: boolean;
    readonly pngRenderer: Pick<PngRenderer, 'render'>;
    /** A mail address or URL where guests ask for help; null: none. */
    readonly supportContact: string | null;
    /** Origins of other hosts. Their pages may read answers. */
    readonly corsOrigins: readonly string[];
    readonly version: string;
    /** Logs a change of the result: the requests that read it are not logged. */
    readonly ready: () => Checks;
    /** The client's address, also behind trusted proxies; null if unknown. */
    readonly addressOf: (request: Request) => string | null;
    /** Whether the client uses TLS, which the service or a trusted proxy ends. */
    readonly overTls: OverTls;
    readonly requestStatistics: RequestStatistics;
    readonly log: Log;
  };
