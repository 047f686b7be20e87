import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { ParkedItem } from '../../eventsourcing/parked.ts';
import type { Clock } from '../../ports/clock.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const DECISION_MS = 10_000;

type Context = {
  readonly streams: Pick<Streams, 'parkings'>;
  readonly clock: Clock;
  /** The names of all readers of this release. */
  readonly readers: readonly string[];
};

export type ReaderItem = ParkedItem & { readonly reader: string };

/** What every reader left out, oldest first within a reader. Reads one stream per reader. */
export async function listParked({
  streams,
  clock,
  readers,
}: Context): Promise<{ readonly kind: 'list'; readonly items: readonly ReaderItem[] } | Refused> {
  const deadlineMs = clock.nowMs() + DECISION_MS;
  const items: ReaderItem[] = [];
  const replies = await Promise.all(readers.map((reader) => streams.parkings.read(reader, deadlineMs)));
  for (const [index, reply] of replies.entries()) {
    if (reply.kind !== 'state') return noReply(reply);
    const reader = readers[index] ?? '';
    for (const item of reply.state.values()) items.push({ ...item, reader });
  }
  return { kind: 'list', items };
}

type Decision = {
  readonly type: 'Retry' | 'Skip';
  readonly reader: string;
  /** The id of an event, or the key of a command. */
  readonly item: string;
  /** Name of the operator. */
  readonly by: string;
  readonly reason: string;
};

type Decided = { readonly kind: 'decided'; readonly item: ReaderItem; readonly position: Position | null };

/** Records who decided on a parked item, and why. A repeated decision changes nothing. */
export async function decideParked(
  { type, reader, item, by, reason }: Decision,
  cause: Cause,
  { streams, clock, readers }: Context,
): Promise<Decided | Refused> {
  if (!readers.includes(reader))
    return refused('NOT_FOUND', `There is no reader "${reader}"; there are ${readers.join(', ')}.`);
  const command = { type, item, by, reason, at: cause.at };
  const reply = await streams.parkings.handle(reader, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable' || reply.kind === 'erased') return noReply(reply);
  const decided = reply.state.get(item);
  if (reply.kind === 'rejected' || decided === undefined)
    return refused('NOT_FOUND', `The reader "${reader}" has no parked item "${item}".`);
  return { kind: 'decided', item: { ...decided, reader }, position: reply.position };
}
