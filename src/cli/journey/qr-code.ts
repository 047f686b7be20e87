import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** The text of the QR code in a PNG; null if the bytes are no PNG or hold no QR code. */
export function readQrCode(png: Uint8Array): string | null {
  try {
    const { data, width, height } = PNG.sync.read(Buffer.from(png));
    return jsQR(new Uint8ClampedArray(data), width, height)?.data ?? null;
  } catch {
    return null;
  }
}
