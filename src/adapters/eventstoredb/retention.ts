import { randomUUID } from 'node:crypto';
import { DAY_MS, SECOND_MS } from '../../eventsourcing/durations.ts';
import { NO_STREAM } from '../../ports/event-store.ts';
import type { EncodedAppend } from './append-message.ts';

/**
 * The append that sets a stream's `$maxAge`. Made before the stream's first event, and only if the stream has no
 * metadata yet, so that an operator's change stays.
 */
export function retentionOf(stream: string, days: number): EncodedAppend {
  const data = Buffer.from(JSON.stringify({ $maxAge: (days * DAY_MS) / SECOND_MS }), 'utf8');
  const event = { id: randomUUID(), type: '$metadata', data, metadata: new Uint8Array() };
  return { stream: `$$${stream}`, expectedRevision: NO_STREAM, events: [event] };
}
