/** A store that a contract suite can reopen on the same data. */
export type Reopening<S> = {
  readonly store: S;
  readonly reopen: () => Promise<S>;
  /** Closes the store and removes the data. */
  readonly close: () => Promise<void>;
};

/**
 * @param first the open store
 * @param open opens it again on the same data
 */
export function reopening<S extends { close(): Promise<void> }>(
  first: S,
  open: () => S | Promise<S>,
  remove: () => void | Promise<void> = () => {},
): Reopening<S> {
  let store = first;
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async close() {
      await store.close();
      await remove();
    },
  };
}
