/** Keeps secrets unreadable where they are stored. `purpose` binds a sealed text to what it was sealed for. */
export interface Sealer {
  seal(plain: Uint8Array, purpose: string): string;
  /** @throws SealBroken where the text was sealed under another secret or for another purpose, or was changed */
  open(sealed: string, purpose: string): Uint8Array;
}

export class SealBroken extends Error {
  constructor(purpose: string) {
    super(
      `what is stored as "${purpose}" cannot be opened: WAYMARK_SECRET_KEY is not the one it was sealed with, or it was changed`,
    );
    this.name = 'SealBroken';
  }
}
