/**
 * The state of a stream at a revision, to be completed with the events after it. Only a cache: its reader
 * compares it with the stream (docs/decisions/0061).
 */
export type Snapshot = {
  readonly stream: string;
  /** The version of `evolve` and of the state's form that made it. */
  readonly version: number;
  /** Of the last event in the state, and that event's id. */
  readonly revision: number;
  readonly eventId: string;
  /** The encoded state. */
  readonly state: string;
  /** Of all other members. */
  readonly digest: string;
};

/** Maximum length of an encoded state, in characters; a snapshot stays well below MongoDB's 16 MiB for a document. */
export const MAX_SNAPSHOT_LENGTH = 4 * 1024 * 1024;

/**
 * Holds at most one snapshot per stream and version. Any of them may be lost at any time. A loaded one may be damaged or
 * belong to another log.
 */
export interface SnapshotStore {
  /** Null if there is none. */
  load(stream: string, version: number): Promise<Snapshot | null>;
  /** Replaces an older one of the stream and version. One of the same or a higher revision stays. */
  save(snapshot: Snapshot, savedAtMs: number): Promise<void>;
  /** Deletes this snapshot; another one of the stream stays. */
  remove(snapshot: Snapshot): Promise<void>;
  /** Deletes those saved before a time. */
  removeBefore(savedAtMs: number): Promise<void>;
  close(): Promise<void>;
}
