import { createHash } from 'node:crypto';

/** The forms of the service's secrets. */
const SHAPES = /[0-9a-f]{64}|whsec_[\w+/=-]{16,}|WM-[0-9A-Z]{20}-[0-9A-Z]{26}/g;

/** Texts that no answer may contain unless its request contains them. */
export class Secrets {
  readonly #shaped = new Map<string, string>();
  readonly #others = new Map<string, string>();
  readonly #readers = new Map<string, string>();

  /** Adds a secret of the service and its hash. The answer to a request that contains `reader` may contain it. */
  add(what: string, secret: string, reader: string | null = null): void {
    this.#shaped.set(secret, what);
    if (reader !== null) this.#readers.set(secret, reader);
    this.#shaped.set(createHash('sha256').update(secret).digest('hex'), `the hash of ${what}`);
    if (secret.startsWith('whsec_')) this.#others.set(secret.slice('whsec_'.length), what);
  }

  /** Sealed material, or a secret of another form. */
  addText(what: string, text: string): void {
    this.#others.set(text, what);
  }

  get size(): number {
    return this.#shaped.size + this.#others.size;
  }

  /** The secret that a text contains; null without one. `sent` is the request. */
  leakIn(text: string, sent = ''): string | null {
    for (const [shape] of text.matchAll(SHAPES)) {
      const what = this.#shaped.get(shape);
      const reader = this.#readers.get(shape);
      const mayRead = sent.includes(shape) || (reader !== undefined && sent.includes(reader));
      if (what !== undefined && !mayRead) return what;
    }
    for (const [other, what] of this.#others) if (text.includes(other) && !sent.includes(other)) return what;
    return null;
  }
}
