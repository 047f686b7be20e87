import { randomUUID } from 'node:crypto';
import { NO_STREAM } from '../../ports/event-store.ts';
import type { EncodedAppend } from './append-message.ts';

const SECONDS_A_DAY = 86_400;

/**
 * The append that gives a stream its `$maxAge`. Made before the stream's first event, and only where the stream has no
 * metadata yet: one that an operator changed stays changed.
 */
export function retentionOf(stream: string, days: number): EncodedAppend {
  const data = Buffer.from(JSON.stringify({ $maxAge: days * SECONDS_A_DAY }), 'utf8');
  const event = { id: randomUUID(), type: '$metadata', data, metadata: new Uint8Array() };
  return { stream: `$$${stream}`, expectedRevision: NO_STREAM, events: [event] };
}
