import { randomUUID } from 'node:crypto';
import { DAY_MS, SECOND_MS } from '../../eventsourcing/durations.ts';
import { categoryOf, NO_STREAM } from '../../ports/event-store.ts';
import type { AppendAnswer, EncodedAppend } from './append-message.ts';

export type RetentionSettings = {
  /** By category: days after which the server deletes each event ($maxAge). Other categories are kept forever. */
  readonly keptDays?: Readonly<Record<string, number>>;
  /** By category: number of last events that the server keeps of each stream ($maxCount). */
  readonly keptEvents?: Readonly<Record<string, number>>;
};

/** Sets the retention of streams. Call `set` before each append. */
export function openRetention(
  { keptDays = {}, keptEvents = {} }: RetentionSettings,
  append: (metadata: EncodedAppend) => Promise<AppendAnswer>,
): { set(stream: string, name: string, isNew: boolean): Promise<void> } {
  /** Streams whose `$maxCount` this process has set, or found set. */
  const counted = new Set<string>();
  return {
    /** @param name of the stream on the server */
    async set(stream, name, isNew) {
      const category = categoryOf(stream);
      const [days, events] = [keptDays[category], keptEvents[category]];
      if (days !== undefined && isNew) await append(metadataOf(name, { $maxAge: (days * DAY_MS) / SECOND_MS }));
      // An earlier release has set none.
      if (events === undefined || counted.has(name)) return;
      await append(metadataOf(name, { $maxCount: events }));
      counted.add(name);
    },
  };
}

/** The append that sets a stream's metadata if it has none yet, so that an operator's change stays. */
function metadataOf(name: string, metadata: Readonly<Record<string, number>>): EncodedAppend {
  const data = Buffer.from(JSON.stringify(metadata), 'utf8');
  const event = { id: randomUUID(), type: '$metadata', data, metadata: new Uint8Array() };
  return { stream: `$$${name}`, expectedRevision: NO_STREAM, events: [event] };
}
