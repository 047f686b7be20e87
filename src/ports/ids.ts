/** Fresh identifiers and secrets. */
export interface Ids {
  /** A uuid: event ids, request ids. */
  uuid(): string;
  /** Bytes nobody can guess. */
  secret(bytes: number): Uint8Array;
}
