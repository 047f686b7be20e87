/** One-way functions. Both give 32 bytes. */
export interface Digest {
  /** SHA-256 of a text. */
  hash(text: string): Uint8Array;
  /** HMAC-SHA256 of a text under the first secret key of the installation, whichever key is present. */
  keyed(text: string): Uint8Array;
}
