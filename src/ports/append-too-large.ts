/** An append is over the limit of the port or of the server. It stored nothing, and a retry would not succeed. */
export class AppendTooLarge extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppendTooLarge';
  }
}
