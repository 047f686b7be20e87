import type { Colour } from './colours.ts';

/** Size of every picture in pixels. */
export const WIDTH = 1200;
export const HEIGHT = 800;

/** Whole numbers keep the files short. */
const n = (value: number): number => Math.round(value);

export function circle(x: number, y: number, radius: number, fill: Colour, opacity = 1): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}"${alpha(opacity)}/>`;
}

type Ellipse = readonly [x: number, y: number, rx: number, ry: number, fill: Colour, opacity?: number];
/** `x` and `y` of the upper left corner; `radius` of the corners. */
type Rectangle = readonly [
  x: number,
  y: number,
  width: number,
  height: number,
  fill: Colour,
  radius?: number,
  opacity?: number,
];

export function ellipse(...[x, y, rx, ry, fill, opacity = 1]: Ellipse): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}"${alpha(opacity)}/>`;
}

export function rect(...[x, y, width, height, fill, radius = 0, opacity = 1]: Rectangle): string {
  const round = radius === 0 ? '' : ` rx="${n(radius)}"`;
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"${round} fill="${fill}"${alpha(opacity)}/>`;
}

export function path(d: string, fill: Colour, opacity = 1): string {
  return `<path d="${d}" fill="${fill}"${alpha(opacity)}/>`;
}

export function line(d: string, stroke: Colour, width: number, opacity = 1): string {
  const ends = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';
  return `<path d="${d}" ${ends} stroke="${stroke}" stroke-width="${width}"${alpha(opacity)}/>`;
}

/** Moves and scales shapes that are drawn around 0,0, with y up being negative. */
export function at(x: number, y: number, scale: number, shapes: string, mirrored = false): string {
  const factor = scale.toFixed(2);
  return `<g transform="translate(${n(x)} ${n(y)}) scale(${mirrored ? `-${factor}` : factor} ${factor})">${shapes}</g>`;
}

export function turned(degrees: number, shapes: string): string {
  return `<g transform="rotate(${n(degrees)})">${shapes}</g>`;
}

export function repeat(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

/** A smooth line through points, as path commands that follow the first point. */
export function smooth(points: readonly (readonly [number, number])[]): string {
  return points
    .slice(1)
    .map(([x, y], index) => {
      const [fromX, fromY] = points[index] ?? [0, 0];
      const middle = (fromX + x) / 2;
      return `C${n(middle)} ${n(fromY)} ${n(middle)} ${n(y)} ${n(x)} ${n(y)}`;
    })
    .join('');
}

function alpha(opacity: number): string {
  return opacity === 1 ? '' : ` opacity="${opacity}"`;
}
