import { OperatorError } from './operator-error.ts';

/** Encrypts secrets for storage. A text sealed for one `purpose` cannot be opened for another. */
export interface Sealer {
  /** Seals with the present secret key. */
  seal(plain: Uint8Array, purpose: string): Promise<string>;
  /** Seals with the WAYMARK_SECRET_KEY of this node, without reading the log: for texts that need not outlive a rotation. */
  sealBriefly(plain: Uint8Array, purpose: string): string;
  /** @throws SealBroken if the text was sealed with an unknown secret key or for another purpose, or was changed */
  open(sealed: string, purpose: string): Uint8Array;
}

/** What a text was sealed from; null if this sealer cannot open it. */
export function openedWith(sealer: Sealer, sealed: string, purpose: string): Uint8Array | null {
  try {
    return sealer.open(sealed, purpose);
  } catch (fault) {
    if (fault instanceof SealBroken) return null;
    throw fault;
  }
}

export class SealBroken extends OperatorError {
  constructor(purpose: string) {
    super(
      `what is stored as "${purpose}" cannot be opened: WAYMARK_SECRET_KEY and WAYMARK_SECRET_KEY_PREVIOUS are not the key it was sealed with, or it was changed`,
    );
    this.name = 'SealBroken';
  }
}
