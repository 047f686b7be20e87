import type { MailNotifier } from '../application/booking/mail-notifier.ts';
import type { Streams } from '../application/streams.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Checks, Operations } from '../http/context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Currency } from '../ports/currency.ts';
import type { ErasureLedger } from '../ports/erasure-ledger.ts';
import type { Ids } from '../ports/ids.ts';
import type { LeaseStatus } from '../ports/leases.ts';
import type { Log } from '../ports/log.ts';
import type { CheckedReader } from '../runtime/currency-check.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import type { Parking } from '../runtime/parking.ts';
import type { Running } from '../runtime/running.ts';
import type { ReadFaults } from '../runtime/unknown-events.ts';
import type { Stores } from './embedded-stores.ts';

/** What differs between a single process on embedded stores and nodes that share EventStoreDB and MongoDB. */
export type Engines = LeaderElection & {
  readonly stores: Stores;
  readonly erasures: ErasureLedger;
  /** Resolves when another log has replaced the one that this node holds in memory: the node must be opened again. */
  readonly replaced: Promise<Error>;
  /** Readiness checks of the engines and of the clock. */
  answering(): Checks;
  /** Whether a reader of this process is current, from now on. */
  currencyOf(reader: CheckedReader): Currency;
  /** A caller waits for a position, which may be one that this process does not follow: it is passed soon. */
  passSoon(position: Position): void;
  /** Access to the read models and to their progress. */
  openProjections(context: {
    readonly streams: Streams;
    readonly parking: Parking;
    readonly clock: Clock;
    readonly ids: Ids;
  }): Promise<Projections>;
  /** Runs the projections, if `openProjections` does not do so. */
  project(context: { readonly streams: Streams; readonly parking: Parking; readonly clock: Clock }): Promise<Running>;
  /** This run of this node as leases name it, and all held leases; null on embedded stores, which have one node. */
  leases(): Promise<{ readonly holder: string; readonly held: readonly LeaseStatus[] } | null>;
  /** Notifies of mails that other nodes send. */
  followMails(notifier: Pick<MailNotifier, 'ended'>): Promise<Running>;
  close(): Promise<void>;
};

/** The read models, wherever the projections run that fill them. */
export type Projections = {
  /** The collection that queries of a projection read now. */
  collection(name: string): Promise<string>;
  /** True once the projection has applied everything up to a position; false when it has not within `timeoutMs`. */
  waitFor(name: string, position: Position, timeoutMs: number): Promise<boolean>;
  /** How far the projections are; null once every one has applied what the log held when these were opened. */
  filling(): string | null;
  readonly operations: Operations;
  stop(): Promise<void>;
};

/** `holder` names this run of this node in leases. */
export type EnginesContext = {
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  readonly unknownEvents: ReadFaults;
};
