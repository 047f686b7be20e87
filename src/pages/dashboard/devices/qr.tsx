import { matrixOf, pathOf, QUIET_ZONE } from '../../../vouchers/qr-modules.ts';

/** A QR code. `title` is the text alternative: it does not contain the text, which can be a secret. */
export function Qr({ text, title }: { readonly text: string; readonly title: string }) {
  const matrix = matrixOf(text);
  const width = matrix.size + 2 * QUIET_ZONE;
  return (
    <svg class="qr" viewBox={`0 0 ${width} ${width}`} role="img" aria-label={title} shape-rendering="crispEdges">
      <rect width={width} height={width} fill="#fff" />
      <path fill="#000" d={pathOf(matrix)} />
    </svg>
  );
}
