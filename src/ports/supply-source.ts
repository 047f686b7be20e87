/** A supply file; faults call it `name`. Reading `text` may unpack it each time. */
export type SupplyFile = { readonly name: string; readonly text: string };

/** All supply files, as they were at one moment. */
export type SupplyFiles = {
  /** Of the catalogue files, for faults. */
  readonly directory: string;
  /** Ordered by name. */
  readonly catalogue: readonly SupplyFile[];
  readonly exchangeRates: SupplyFile;
};

/** The source of the catalogue and exchange rates, as texts. This port does not interpret them. */
export interface SupplySource {
  /**
   * The present files; the same object as before if nothing has changed. Reads changed files until they stay the same for
   * a moment, so that it never returns half of a change.
   * @throws if a file cannot be read, or does not stop changing
   */
  read(): Promise<SupplyFiles>;
  /** Calls `changed` a moment after a possible change. A call can be needless or missing. */
  watch(changed: () => void): { stop(): void };
}
