/** A POST to somebody else's server. */
export type Outgoing = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the first step, the look-up of the name, to the head of the answer. */
  readonly timeoutMs: number;
};

/** What became of it; `timeMs` in whole milliseconds. The rest of the answer is nobody's business and is not kept. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** What the header of that name says; null where there is none. */
      readonly retryAfter: string | null;
      readonly timeMs: number;
    }
  /** No answer: `error` says why in words that may be shown to who chose the URL. */
  | { readonly kind: 'failed'; readonly error: string; readonly timeMs: number };

/** Outgoing HTTP to URLs that callers chose. Follows no redirect, and connects to no address that is not permitted. */
export interface Sender {
  /** @throws SenderClosed after, or because of, `close`: then it is not known whether the other side took it */
  post(outgoing: Outgoing): Promise<Exchange>;
  /** Sends nothing more; waits a moment for what is under way, then breaks it off. */
  close(): Promise<void>;
}

export class SenderClosed extends Error {
  constructor() {
    super('the sender was closed');
    this.name = 'SenderClosed';
  }
}
