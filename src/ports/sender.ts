/** A POST to a receiver's server. */
export type Outgoing = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the DNS look-up to the head of the response. */
  readonly timeoutMs: number;
};

/** The outcome; `timeMs` in whole milliseconds. The rest of the response is discarded. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The value of that header; null if there is none. */
      readonly retryAfter: string | null;
      readonly timeMs: number;
    }
  /** No response. `error` may be shown to the owner of the URL. */
  | { readonly kind: 'failed'; readonly error: string; readonly timeMs: number };

/** Outgoing HTTP to URLs that callers chose. Follows no redirects and connects only to permitted addresses. */
export interface Sender {
  /** @throws SenderClosed after or because of `close`: it is unknown then whether the receiver got the request */
  post(outgoing: Outgoing): Promise<Exchange>;
  /** Sends no more requests; waits a moment for those in progress, then aborts them. */
  close(): Promise<void>;
}

export class SenderClosed extends Error {
  constructor() {
    super('the sender was closed');
    this.name = 'SenderClosed';
  }
}
