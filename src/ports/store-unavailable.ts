/** The engines that a node depends on, as they are called where one of them is away. */
export type Engine = 'event store' | 'read models' | 'usage counters' | 'leases';

/**
 * An engine could not be reached, refused for now, or did not answer in time. Adapters throw it where the surroundings are
 * at fault and the same call can succeed later; every other fault is a bug. Whether what was asked for was done is not
 * known.
 */
export class StoreUnavailable extends Error {
  readonly engine: Engine;

  constructor(engine: Engine, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnavailable';
    this.engine = engine;
  }
}
