import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** Reads QR codes beside the page's thread. The page sends the WebAssembly module first, then frames; each gets one answer. */
export type ToDecoder = { readonly wasm: ArrayBuffer } | { readonly frame: ImageData };
export type FromDecoder = { readonly text: string | null };

type DecoderScope = {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToDecoder>) => void): void;
  postMessage(message: FromDecoder): void;
};
const decoder = globalThis as unknown as DecoderScope;

decoder.addEventListener('message', ({ data }) => {
  if ('wasm' in data) prepareZXingModule({ overrides: { wasmBinary: data.wasm } });
  else void read(data.frame).then((text) => decoder.postMessage({ text }));
});

/** The text of the first QR code in the frame; null if there is none. */
async function read(frame: ImageData): Promise<string | null> {
  try {
    const found = await readBarcodes(frame, { formats: ['QRCode'], maxNumberOfSymbols: 1, tryHarder: true });
    return found.find(({ isValid }) => isValid)?.text ?? null;
  } catch {
    return null;
  }
}
