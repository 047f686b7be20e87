import type { RecordedEvent } from '@eventstore/db-client';
import type { Log } from '../../ports/log.ts';

/** Maximum number of remembered streams, each logged once; events of further streams are neither logged nor counted. */
const MAX_STREAMS = 1_000;

export type ForeignEvents = ReturnType<typeof openForeignEvents>;

/** Counts events of other programs in this installation's streams; every reader skips them. */
export function openForeignEvents(log: Log, maxStreams = MAX_STREAMS) {
  /** Revision of the last one by stream: several subscriptions receive the same event, which counts once. */
  const last = new Map<string, bigint>();
  let events = 0;
  let full = false;
  return {
    skip({ streamId: stream, revision, type, id }: Pick<RecordedEvent, 'streamId' | 'revision' | 'type' | 'id'>): void {
      const known = last.get(stream);
      if (known === undefined && last.size >= maxStreams) {
        if (!full) log.warn('events of other programs: further streams are not logged', { maxStreams, stream });
        full = true;
        return;
      }
      if (known !== undefined && revision <= known) return;
      last.set(stream, revision);
      events++;
      if (known === undefined)
        log.warn('event of another program skipped', { stream, type, id, revision: Number(revision), events });
    },
    /** Logs the total. */
    close(): void {
      if (events > 0) log.info('events of other programs were skipped', { events, streams: last.size });
    },
  };
}
