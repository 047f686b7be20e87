import QRCode from 'qrcode';
import { escapeHtml } from './html.ts';
import { modulesPng } from './png.ts';

/** White modules on each side, so that a scanner finds the edge (ISO/IEC 18004). */
const QUIET_ZONE = 4;
const DEFAULT_WIDTH_PX = 450;
/** Of an SVG that is not told its size: a token's code is then 285 pixels wide, which a phone of 360 has room for. */
const SVG_PX_PER_MODULE = 5;
const MAX_SCALE = 40;

/** A square of modules without a quiet zone; `dark` row by row, 1 for dark. */
type Matrix = { readonly size: number; readonly dark: Uint8Array };

/**
 * The QR code of a text as a PNG, one bit a pixel.
 * `scale`: pixels a module, a whole number from 1 to 40; by default the image is about 450 pixels wide.
 * @throws RangeError for another scale, Error where the text is longer than a QR code can hold.
 */
export function qrPng(text: string, scale?: number): Uint8Array {
  const { size, dark } = matrixOf(text);
  const width = size + 2 * QUIET_ZONE;
  const pixels = scale ?? Math.max(1, Math.round(DEFAULT_WIDTH_PX / width));
  if (!Number.isInteger(pixels) || pixels < 1 || pixels > MAX_SCALE) {
    throw new RangeError(`a QR module is drawn 1 to ${MAX_SCALE} pixels wide, not ${pixels}`);
  }
  return modulesPng(width, pixels, (row, column) => {
    const [y, x] = [row - QUIET_ZONE, column - QUIET_ZONE];
    return x >= 0 && y >= 0 && x < size && y < size && dark[y * size + x] === 1;
  });
}

/**
 * The QR code of a text as an SVG element, one unit a module. It has whole pixels a module, since a fraction would
 * make them uneven. `title` is its text alternative and never the content: what stands in the code may be a secret.
 * @throws Error where the text is longer than a QR code can hold.
 */
export function qrSvg(text: string, title = 'QR code'): string {
  const matrix = matrixOf(text);
  const width = matrix.size + 2 * QUIET_ZONE;
  const px = width * SVG_PX_PER_MODULE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${width}" width="${px}" height="${px}"`,
    ' role="img" shape-rendering="crispEdges">',
    `<title>${escapeHtml(title)}</title>`,
    `<rect width="${width}" height="${width}" fill="#fff"/>`,
    `<path fill="#000" d="${pathOf(matrix)}"/></svg>`,
  ].join('');
}

/**
 * Error correction M: a crease or a drop on the paper does no harm. The alphanumeric mode is demanded where it can be,
 * not left to the library's search: the same 49 modules for a token (57 in bytes), found in half the time.
 */
function matrixOf(text: string): Matrix {
  const isAlphanumeric = /^[0-9A-Z $%*+\-./:]+$/.test(text);
  const { modules } = QRCode.create(isAlphanumeric ? [{ data: text, mode: 'alphanumeric' }] : text, {
    errorCorrectionLevel: 'M',
  });
  return { size: modules.size, dark: modules.data };
}

/** A closed rectangle for each horizontal run of dark modules. */
function pathOf({ size, dark }: Matrix): string {
  const runs: string[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const start = column;
      while (column < size && dark[row * size + column] === 1) column++;
      const length = column - start;
      if (length > 0) runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`);
    }
  }
  return runs.join('');
}
