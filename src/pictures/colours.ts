import type { TimeOfDay } from '../domain/activity/vocabulary.ts';
import type { Random } from './random.ts';

/** `#rrggbb` */
export type Colour = string;

/** The colours of one picture. `far` to `dark` are the layers of a landscape from the horizon to the foreground. */
export type Palette = {
  readonly skyTop: Colour;
  readonly skyBottom: Colour;
  readonly sun: Colour;
  readonly far: Colour;
  readonly near: Colour;
  readonly dark: Colour;
  readonly water: Colour;
  readonly accent: Colour;
  readonly second: Colour;
  readonly light: Colour;
  readonly isDark: boolean;
};

type Scheme = Omit<Palette, 'isDark'>;

const SCHEMES: Readonly<Record<TimeOfDay, readonly Scheme[]>> = {
  morning: [
    scheme('#8fc1d4 #fbe3c4 #fff3d6 #9db9b8 #5f8f88 #2c5a58 #8fbfc6 #d9694a #e8b04a #fff7ea'),
    scheme('#a9c3dd #f9d9cf #fff0dc #a5b0c0 #6d8698 #34506a #9dbdd0 #c85f5a #eebd6b #fff6ee'),
    scheme('#9ccdb9 #f4ecc7 #fff8dc #a3c2a2 #63946f #2a5b48 #9ccfc4 #d97b3f #e9c153 #fdfaec'),
  ],
  afternoon: [
    scheme('#5fa9c9 #d9eee6 #fff6d8 #8fbcb4 #4c9080 #1f5a52 #5fb3b8 #d8603f #f0b442 #fdf8ea'),
    scheme('#79b4dc #f3ecd8 #fff4cc #9cc0b2 #5b9a72 #235b44 #6cbcc4 #cf5a6a #f2c04e #fffaf0'),
    scheme('#6db5b0 #eef0d2 #fff8d8 #a1c398 #5f9c5d #28603a #79c4b4 #dd7038 #f3c24a #fbfaea'),
  ],
  evening: [
    scheme('#4a4a86 #f4a574 #ffdf9e #8a6a92 #5a4676 #2b2550 #74629a #f0734f #f7b955 #fff0d8'),
    scheme('#2f5578 #f3b183 #ffe3a6 #6f7f96 #42597a #1d3050 #5f84a0 #ee6b52 #f9c25f #fff1dc'),
    scheme('#70426f #f6a98e #ffe0b0 #98678a #6b4070 #331f47 #906a98 #f57a62 #fcc46a #fff0e2'),
  ],
  night: [
    scheme('#0f1d3d #3a5a86 #f6efd0 #2f4a73 #1e3358 #0b1630 #274a78 #f2795a #f7c765 #fdf3d4'),
    scheme('#1b1740 #5a4a8c #f7ecd2 #413a76 #2a2556 #120f2e #3c3c80 #f0698a #f8c96a #fdf2dc'),
    scheme('#0c2a35 #2f6f72 #f4f2d2 #25585f #174046 #081d24 #2a7076 #f08a5a #f5cd6c #fbf5d8'),
  ],
};

export function paletteFor(time: TimeOfDay, random: Random): Palette {
  const base = random.pick(SCHEMES[time]);
  const turn = random.between(-10, 10);
  const turned = Object.fromEntries(Object.entries(base).map(([name, colour]) => [name, turnHue(colour, turn)]));
  return { ...(turned as Scheme), isDark: time === 'night' || time === 'evening' };
}

/** `share` of the second colour, 0 to 1. */
export function mix(first: Colour, second: Colour, share: number): Colour {
  const [a, b] = [channels(first), channels(second)];
  return toHex(a.map((value, at) => value + ((b[at] ?? 0) - value) * share));
}

function scheme(colours: string): Scheme {
  const [skyTop, skyBottom, sun, far, near, dark, water, accent, second, light] = colours.split(' ');
  const given = { skyTop, skyBottom, sun, far, near, dark, water, accent, second, light };
  if (Object.values(given).includes(undefined)) throw new Error('a scheme has ten colours');
  return given as Scheme;
}

/** Turns the hue by some degrees, in the space of luma and two differences, so that lightness stays. */
function turnHue(colour: Colour, degrees: number): Colour {
  const [red = 0, green = 0, blue = 0] = channels(colour);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  const [u, v] = [0.492 * (blue - luma), 0.877 * (red - luma)];
  const angle = (degrees * Math.PI) / 180;
  const [u2, v2] = [u * Math.cos(angle) - v * Math.sin(angle), u * Math.sin(angle) + v * Math.cos(angle)];
  const [red2, blue2] = [luma + v2 / 0.877, luma + u2 / 0.492];
  return toHex([red2, (luma - 0.299 * red2 - 0.114 * blue2) / 0.587, blue2]);
}

function channels(colour: Colour): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function toHex(values: readonly number[]): Colour {
  const hex = (value: number): string =>
    Math.round(Math.min(255, Math.max(0, value)))
      .toString(16)
      .padStart(2, '0');
  return `#${values.map(hex).join('')}`;
}
