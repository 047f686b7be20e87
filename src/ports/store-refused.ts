import type { Engine } from './store-unavailable.ts';

/**
 * An engine answers, but not to us: its URL names a wrong user or password, a user without the rights, or an option that
 * there is not. Adapters throw it where waiting is no use until somebody has changed that. No password is in the message.
 */
export class StoreRefused extends Error {
  readonly engine: Engine;

  constructor(engine: Engine, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreRefused';
    this.engine = engine;
  }
}
