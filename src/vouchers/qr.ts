import { escapeHtml } from './html.ts';
import { modulesPng } from './png.ts';
import { matrixOf, pathOf, QUIET_ZONE } from './qr-modules.ts';

/** The PNG's width is near this, because modules have an integer width. */
const PNG_WIDTH_PX = 450;
/** Size of the SVG: a token's code is 285 pixels wide and fits a phone of 360 pixels. */
const SVG_PX_PER_MODULE = 5;

/**
 * The QR code of a text as a PNG.
 * @throws Error if the text is longer than a QR code can hold
 */
export function qrPng(text: string): Uint8Array {
  const { size, dark } = matrixOf(text);
  const width = size + 2 * QUIET_ZONE;
  return modulesPng(width, Math.round(PNG_WIDTH_PX / width), (row, column) => {
    const [y, x] = [row - QUIET_ZONE, column - QUIET_ZONE];
    return x >= 0 && y >= 0 && x < size && y < size && dark[y * size + x] === 1;
  });
}

/**
 * The QR code of a text as an SVG element, one unit per module. Integer pixels per module, because fractions make modules
 * uneven. `title` is the text alternative; it must not be the content, which can be a secret.
 * @throws Error if the text is longer than a QR code can hold
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
