import type { Codec } from '../eventsourcing/codec.ts';
import type { Decider } from '../eventsourcing/decider.ts';
import type { Cause, DomainEvent, Position } from '../eventsourcing/message.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Unavailable } from './actor.ts';
import type { Snapshots } from './snapshots.ts';
import type { StateForm } from './state-form.ts';
import type { ActorSystem } from './system.ts';

/** One kind of stream: its decider, its codec, and how many commands are decided into one append. */
export type EntityKind<C, S, E extends DomainEvent, R> = {
  readonly decider: Decider<C, S, E, R>;
  readonly codec: Codec<E>;
  readonly maxBatch: number;
  /** Maximum number of actors in memory, if lower than the limit of the system. */
  readonly resident?: number;
  /** Long streams load from snapshots of this form. Only for states without personal data (docs/decisions/0061). */
  readonly form?: StateForm<S>;
};

export type EntityMessage<C> =
  | {
      readonly kind: 'command';
      readonly command: C;
      readonly cause: Cause;
      /** The stream should not exist: an actor that has not read it need not. */
      readonly isNew: boolean;
    }
  | { readonly kind: 'read' };

/** `state` is the current state of the stream; `position` that of the last event this command appended, null for none. */
export type EntityReply<S, E, R> =
  | {
      readonly kind: 'accepted';
      readonly events: readonly E[];
      readonly state: S;
      readonly revision: number;
      readonly position: Position | null;
    }
  | { readonly kind: 'rejected'; readonly rejection: R; readonly state: S; readonly revision: number }
  | { readonly kind: 'state'; readonly state: S; readonly revision: number }
  | { readonly kind: 'erased' };

/**
 * The state of a stream that the caller has: folded from all events up to a revision, or of a stream that should not exist
 * yet, because its id was created for the command. It may be out of date: the append at its revision finds that out.
 */
export type KnownState<S> = { readonly state: S; readonly revision: number } | 'no-stream';

/** Handles the commands and reads of one kind of stream. */
export type StreamHandler<C, S, E extends DomainEvent, R> = {
  readonly categories: readonly string[];
  /** Decides a command on the newest state and appends its events. */
  handle(
    id: string,
    command: C,
    cause: Cause,
    deadlineMs: number,
    options?: {
      /**
       * Decides and appends on this state, without a read and without the actor. If another event was appended meanwhile,
       * the append conflicts and the command goes to the actor. An actor in memory decides on its own state. If commands of
       * this kind share appends, the actor decides in any case, and `no-stream` spares it the first read.
       */
      readonly known?: KnownState<S> | null;
    },
  ): Promise<Exclude<EntityReply<S, E, R>, { kind: 'state' }> | Unavailable>;
  /** The newest state. */
  read(
    id: string,
    deadlineMs: number,
  ): Promise<Extract<EntityReply<S, E, R>, { kind: 'state' | 'erased' }> | Unavailable>;
  /** The cached state, without a read: for hints only, never for a refusal. */
  peek(id: string): S | undefined;
};

export type EntityContext = {
  readonly store: DecodedEventStore;
  readonly ids: Ids;
  readonly system: ActorSystem;
  /** Absent: every stream is folded from its first event. */
  readonly snapshots?: Snapshots;
};
