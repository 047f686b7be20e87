import { initWasm, Resvg } from '@resvg/resvg-wasm';

/** The thread that draws: one image after the other. */
export type ToDraw = { readonly id: number; readonly svg: string };
export type Drawn = { readonly id: number; readonly png: Uint8Array<ArrayBuffer> };

declare const self: Worker;

const ready = initWasm(Bun.file(Bun.resolveSync('@resvg/resvg-wasm/index_bg.wasm', import.meta.dir)).arrayBuffer());

self.addEventListener('message', ({ data }: MessageEvent<ToDraw>) => {
  void draw(data);
});

/** A fault ends the thread, and the renderer starts another one. */
async function draw({ id, svg }: ToDraw): Promise<void> {
  await ready;
  const resvg = new Resvg(svg);
  const image = resvg.render();
  const drawn: Drawn = { id, png: new Uint8Array(image.asPng()) };
  image.free();
  resvg.free();
  self.postMessage(drawn);
}
