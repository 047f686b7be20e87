/** A file that people edit; `name` is what faults call it. */
export type SupplyFile = { readonly name: string; readonly text: string };

/** Everything that people edit, as it was at one moment. */
export type SupplyFiles = {
  /** Where the catalogue's files are: what faults call it where there is none. */
  readonly place: string;
  /** In the order of their names. */
  readonly catalogue: readonly SupplyFile[];
  readonly exchangeRates: SupplyFile;
};

/** Where what is sold is written down: texts, whose meaning is not this port's to know. */
export interface SupplySource {
  /**
   * The files as they are: where nothing has changed, the very object that was read before. What changed is read until it
   * stays the same for a moment, so that no half of a change is taken for the whole.
   * @throws where a file cannot be read, or is written without end
   */
  read(): Promise<SupplyFiles>;
  /** Calls `changed` a moment after something may have changed, or needlessly, or, where the notice is lost, not at all. */
  watch(changed: () => void): { stop(): void };
}
