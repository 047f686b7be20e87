import type { EventStore } from '../../../src/ports/event-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import type { Output } from '../../support/process.ts';
import type { OnSale } from './catalogue.ts';
import type { Random } from './random.ts';

/** Environment variables of every process of a life. */
export type LifeSettings = Readonly<Record<string, string>>;

/** The engines and processes of the service that is killed. */
export type Stage = AsyncDisposable & {
  readonly sale: OnSale;
  readonly load: LoadShape;
  /** Deadlines and intervals of this stage. */
  readonly settings: LifeSettings;
  /** Time in which another process takes over the work of a dead one; 0 if there is no other. */
  readonly standInMs: number;
  /** Starts a life without waiting. */
  begin(settings: LifeSettings): Cast;
  /** True once a process manager of the running service stores its next checkpoint; false when it did not within the time. */
  nextCheckpoint(manager: string, withinMs: number): Promise<boolean>;
  /** A copy of the stores after the kill: the audit must not repair what the service has to recover. */
  left(): Promise<Left>;
  /** The bytes of a stopped service, after erased data has been removed. */
  bytes(): Promise<readonly Bytes[]>;
};

export type LoadShape = {
  readonly clients: number;
  /** The clients pause after this number of requests of one life, so that a run is bounded on any machine. */
  readonly budget: number;
  /** The same while waiting for a checkpoint: the load must last until then. */
  readonly longBudget: number;
  /** Between two requests of a client, in ms. */
  readonly restMs: number;
};

/** The processes of one life of the service. `await using` kills those that still run. */
export type Cast = AsyncDisposable & {
  /** The output of each process, dead ones included. */
  readonly words: readonly Words[];
  /** Resolves when all processes answer. @throws if a process ends before, with its output */
  answering(): Promise<Entrance>;
  /** Causes an accident of a part of the service. Resolves with its description when it is over; null if none is possible. */
  readonly accident: ((random: Random) => Promise<string>) | null;
  /** SIGKILL, sometimes of engines too. Resolves when all have ended, with a description if engines were killed. */
  kill(random: Random): Promise<string>;
  /** Sends SIGTERM. Resolves with the exit codes. */
  terminate(): Promise<readonly number[]>;
};

export type Words = { readonly stdout: Output; readonly stderr: Output };

/** A service as clients reach it. */
export type Entrance = {
  /** The URL for the next request: each running process in turn. */
  readonly url: () => string;
  /** The URLs of all processes. */
  readonly urls: readonly string[];
  readonly adminToken: string;
};

export type Left = AsyncDisposable & {
  readonly store: EventStore;
  readonly readModels: ReadModelStore;
};

export type Bytes = { readonly file: string; readonly holdsGuests: boolean; readonly text: string };
