/** A supply file; faults call it `name`. Reading `text` may unpack it each time. */
export type SupplyFile = { readonly name: string; readonly text: string };

/** All supply files, as they were at one moment. */
export type SupplyFiles = {
  /** The directory of the catalogue files, for faults. */
  readonly place: string;
  /** Ordered by name. */
  readonly catalogue: readonly SupplyFile[];
  readonly exchangeRates: SupplyFile;
};

/** The source of the catalogue and exchange rates, as texts. This port does not interpret them. */
export interface SupplySource {
  /**
   * The present files; the same object as before where nothing has changed. Reads changed files until they stay the same for
   * a moment, so that a change is never read in half.
   * @throws where a file cannot be read, or does not stop changing
   */
  read(): Promise<SupplyFiles>;
  /** Calls `changed` a moment after a possible change. Calls may be needless, and a lost notification means none. */
  watch(changed: () => void): { stop(): void };
}
