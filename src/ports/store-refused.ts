import { OperatorError } from './operator-error.ts';
import type { Engine } from './store-unavailable.ts';

/**
 * An engine denies access: its URL names a wrong user or password, a user without the rights, or an unknown option. A retry
 * is useless until somebody has changed that. The message contains no password.
 */
export class StoreRefused extends OperatorError {
  readonly engine: Engine;

  constructor(engine: Engine, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreRefused';
    this.engine = engine;
  }
}
