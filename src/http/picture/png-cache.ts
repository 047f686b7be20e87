/** Bytes of a node's kept pictures: some 500 of them. */
const MAX_BYTES = 32 * 1024 * 1024;

type Png = Uint8Array<ArrayBuffer>;

/** Keeps drawn pictures in memory, and draws a picture once for all who ask for it at the same time. */
export class PngCache {
  /** The least recently used first. */
  readonly #kept = new Map<string, Png>();
  readonly #drawing = new Map<string, Promise<Png | null>>();
  #bytes = 0;

  /** @param draw null: not now; nothing is kept then */
  async get(key: string, draw: () => Promise<Png | null>): Promise<Png | null> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const begun = this.#drawing.get(key) ?? this.#draw(key, draw);
    return begun;
  }

  async #draw(key: string, draw: () => Promise<Png | null>): Promise<Png | null> {
    const drawing = draw();
    this.#drawing.set(key, drawing);
    try {
      const png = await drawing;
      if (png !== null) this.#keep(key, png);
      return png;
    } finally {
      this.#drawing.delete(key);
    }
  }

  #keep(key: string, png: Png): void {
    this.#kept.set(key, png);
    this.#bytes += png.byteLength;
    for (const [oldest, bytes] of this.#kept) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.byteLength;
    }
  }
}
