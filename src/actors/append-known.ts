import { fold } from '../eventsourcing/decider.ts';
import type { Cause, DomainEvent } from '../eventsourcing/message.ts';
import { NO_STREAM } from '../ports/event-store.ts';
import type { EntityContext, EntityKind, EntityReply } from './entity.ts';

/**
 * The state of a stream that the caller has: folded from all events up to a revision, or of a stream that should not exist
 * yet, because its id was created for the command. It may be out of date: the append at its revision finds that out.
 */
export type KnownState<S> = { readonly state: S; readonly revision: number } | 'no-stream';

/** Null if the actor must read the stream: it has other events, nothing is to be appended, or the outcome is unknown. */
export async function appendAt<C, S, E extends DomainEvent, R>(
  known: KnownState<S>,
  stream: string,
  { command, cause }: { readonly command: C; readonly cause: Cause },
  { decider, codec }: EntityKind<C, S, E, R>,
  { store, ids }: EntityContext,
): Promise<Extract<EntityReply<S, E, R>, { kind: 'accepted' }> | null> {
  const from = known === 'no-stream' ? { state: decider.initial, revision: NO_STREAM } : known;
  const decision = decider.decide(command, from.state);
  if (decision.kind === 'rejected' || decision.events.length === 0) return null;
  const { events } = decision;
  const append = events.map((event) => ({ id: ids.uuid(), ...codec.encode(event), cause }));
  try {
    const outcome = await store.append(stream, from.revision, append);
    if (outcome.kind !== 'appended') return null;
    const { revision, position } = outcome;
    return { kind: 'accepted', events, state: fold(decider, events, from.state), revision, position };
  } catch {
    // The actor reads the stream to learn the outcome, and reports a lasting fault.
    return null;
  }
}
