import type { EventStore } from '../../../src/ports/event-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import type { Output } from '../../support/process.ts';
import type { OnSale } from './catalogue.ts';
import type { Random } from './random.ts';

/** Environment variables that every process of a life is given. */
export type LifeSettings = Readonly<Record<string, string>>;

/** Where the service is played that is killed again and again: on which engines, and as how many processes. */
export type Stage = AsyncDisposable & {
  readonly sale: OnSale;
  readonly load: LoadShape;
  /** Deadlines and intervals of this stage. */
  readonly settings: LifeSettings;
  /** How long another process may take to do what one that died had to do; 0 where there is no other. */
  readonly standInMs: number;
  /** Begins a life without waiting for anything. */
  begin(settings: LifeSettings): Cast;
  /** True once a process manager of the running service stores its next checkpoint; false when it did not within the time. */
  nextCheckpoint(manager: string, withinMs: number): Promise<boolean>;
  /** A copy of what the last end left: the service itself must recover from that, and not find it mended. */
  left(): Promise<Left>;
  /** The bytes that a stopped service leaves, once what was erased is gone for good. */
  bytes(): Promise<readonly Bytes[]>;
};

export type LoadShape = {
  readonly clients: number;
  /** After so many requests of one life the clients rest, so that a run is bounded on any machine. */
  readonly budget: number;
  /** The same where a checkpoint is waited for: the load must last until then. */
  readonly longBudget: number;
  /** Between two requests of a client, in ms. */
  readonly restMs: number;
};

/** The processes of one life of the service, from its start to its sudden end. `await using` kills what still runs. */
export type Cast = AsyncDisposable & {
  /** What each process said, also of those that died on the way. */
  readonly words: readonly Words[];
  /** Resolves when all of it answers. @throws when a process ends before, with what it said */
  answering(): Promise<Entrance>;
  /** Something befalls a part of it, and is over when this resolves, in words; null where nothing can but the end. */
  readonly accident: ((random: Random) => Promise<string>) | null;
  /** SIGKILL, sometimes of engines too. Resolves when everything is gone, in words where there is something to say. */
  kill(random: Random): Promise<string>;
  /** Asks it to stop, and resolves with the exit codes. */
  terminate(): Promise<readonly number[]>;
};

export type Words = { readonly stdout: Output; readonly stderr: Output };

/** A service as clients reach it. */
export type Entrance = {
  /** Where the next request goes: to each process that answers, in turn. */
  readonly url: () => string;
  /** All those there are. */
  readonly urls: readonly string[];
  readonly adminToken: string;
};

export type Left = AsyncDisposable & {
  readonly store: EventStore;
  readonly readModels: ReadModelStore;
};

export type Bytes = { readonly file: string; readonly holds: 'events' | 'read models'; readonly text: string };
