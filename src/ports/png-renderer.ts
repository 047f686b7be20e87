/** Draws SVG images as PNG, apart from the thread that answers requests. */
export type PngRenderer = {
  /** An image of the SVG's own size; null if it cannot be drawn now: too many wait, or the thread was lost. */
  render(svg: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Ends the thread; what waits is answered with null. */
  stop(): Promise<void>;
};
