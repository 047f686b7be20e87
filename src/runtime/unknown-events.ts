import type { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Log } from '../ports/log.ts';

/**
 * Why this node cannot read the log: events of a newer release (docs/decisions/0029), damaged events, and readers that a
 * fault stopped.
 */
export type UnknownEvents = {
  /** Logs each type once. */
  note(fault: UnknownEvent): void;
  /** Stored types, with their versions. */
  types(): readonly string[];
  /** A fault ended a reader's subscription. Logs a change of the reason. */
  readerStopped(reader: string, fault: unknown): void;
  readerWorks(reader: string): void;
  /** The reason by stopped reader. */
  stoppedReaders(): ReadonlyMap<string, string>;
};

export function createUnknownEvents(log: Log): UnknownEvents {
  const met = new Set<string>();
  const stopped = new Map<string, string>();
  return {
    note({ type, message: reason, fault }) {
      if (met.has(type)) return;
      met.add(type);
      if (fault === null) log.error('event of a newer release: readers stop before it', { type, reason });
      else log.error('event cannot be decoded: readers stop before it', { type, reason });
    },
    types: () => [...met],
    readerStopped(reader, fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      if (stopped.get(reader) === reason) return;
      stopped.set(reader, reason);
      log.error('reader of the log stopped by a fault', { reader, reason });
    },
    readerWorks(reader) {
      if (stopped.delete(reader)) log.info('reader of the log works again', { reader });
    },
    stoppedReaders: () => stopped,
  };
}

/** Receives the faults of reading the log. */
export type ReadFaults = Pick<UnknownEvents, 'note'> & Partial<Pick<UnknownEvents, 'readerStopped' | 'readerWorks'>>;
