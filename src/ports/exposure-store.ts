/** What one booking or hold of a key takes of a limit. */
export type ExposureEntry = {
  /** The booking or hold. Of several entries with the same subject, the largest counts. */
  readonly subject: string;
  /** The request that reserved it; null: as the log has it. */
  readonly attempt: string | null;
  /** Holds, or guests. */
  readonly amount: number;
  /** From then on (ms since the epoch) it no longer counts. */
  readonly endsAtMs: number;
  /** Until then (ms since the epoch) its request may still be on its way to the log. */
  readonly openUntilMs: number;
  /** When it was last compared with the log (ms since the epoch); 0: never. */
  readonly checkedAtMs: number;
};

/** `version`: null if nothing is stored. */
export type VersionedExposure = { readonly entries: readonly ExposureEntry[]; readonly version: string | null };

/**
 * The entries of each limit of each key. Contract: `replace` is compare-and-set on the version that was read, over all
 * nodes; an answered one survives a kill of the process. Faults (disk, network) are thrown; the outcome is unknown then.
 */
export interface ExposureStore {
  read(counter: string): Promise<VersionedExposure>;
  /** Returns the new version; null if another writer was there first. */
  replace(counter: string, before: string | null, entries: readonly ExposureEntry[]): Promise<string | null>;
  close(): Promise<void>;
}
