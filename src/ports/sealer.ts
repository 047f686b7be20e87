import { OperatorError } from './operator-error.ts';
/** Encrypts secrets for storage. A text sealed for one `purpose` cannot be opened for another. */
export interface Sealer {
  seal(plain: Uint8Array, purpose: string): string;
  /** @throws SealBroken if the text was sealed with another secret key or for another purpose, or was changed */
  open(sealed: string, purpose: string): Uint8Array;
}

export class SealBroken extends OperatorError {
  constructor(purpose: string) {
    super(
      `what is stored as "${purpose}" cannot be opened: WAYMARK_SECRET_KEY is not the one it was sealed with, or it was changed`,
    );
    this.name = 'SealBroken';
  }
}
