/** A message with its deadline and the reply to its sender. */
export type Envelope<Message, Reply> = {
  readonly message: Message;
  /** Ms since the epoch. */
  readonly sentMs: number;
  /** Ms since the epoch. A message past its deadline is not handled. */
  readonly deadlineMs: number;
  /** Only the first reply counts; a later one is dropped. */
  readonly reply: (reply: Reply) => void;
};

/** A bounded first-in-first-out queue. */
export class Mailbox<Message, Reply> {
  readonly #limit: number;
  #waiting: Envelope<Message, Reply>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** False when the mailbox is full: the envelope was not added. */
  offer(envelope: Envelope<Message, Reply>): boolean {
    if (this.#waiting.length >= this.#limit) return false;
    this.#waiting.push(envelope);
    return true;
  }

  has(envelope: Envelope<Message, Reply>): boolean {
    return this.#waiting.includes(envelope);
  }

  /** Removes the oldest envelopes, at most `count`. */
  take(count: number): readonly Envelope<Message, Reply>[] {
    if (count >= this.#waiting.length) {
      const all = this.#waiting;
      this.#waiting = [];
      return all;
    }
    return this.#waiting.splice(0, count);
  }
}
