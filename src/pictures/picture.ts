import { CATEGORIES, type Category, type TimeOfDay } from '../domain/activity/vocabulary.ts';
import { mix, paletteFor } from './colours.ts';
import { type Canvas, sky } from './landscape.ts';
import { randomFrom } from './random.ts';
import { drawScene } from './scenes.ts';
import { HEIGHT, WIDTH } from './shapes.ts';

/** What a picture is of. */
export type PictureSubject = {
  /** An activity's id; null: the picture of the category. */
  readonly activityId: string | null;
  readonly category: Category;
  /** The time of day that the picture shows. */
  readonly time: TimeOfDay;
};

/** Raise it when the drawing changes: entity tags depend on it. */
export const DRAWING_VERSION = 1;

/** The picture as SVG of 1200 × 800. It follows from the subject alone, contains no text, and loads nothing. */
export function drawPicture({ activityId, category, time }: PictureSubject): string {
  const random = randomFrom(`${category} ${activityId ?? ''}`);
  const palette = paletteFor(time, random);
  const canvas: Canvas = { palette, random };
  const { skyTop, skyBottom, water, dark, near } = palette;
  const gradients = [
    gradient('sky', skyTop, skyBottom),
    gradient('water', mix(water, skyBottom, 0.45), mix(water, dark, 0.35)),
    gradient('deep', mix(water, skyTop, 0.2), mix(water, dark, 0.7)),
    gradient('wall', mix(near, dark, 0.45), mix(near, dark, 0.65)),
  ].join('');
  const scene = sky(canvas) + drawScene(canvas, category, activityId);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"><defs>${gradients}</defs>${scene}</svg>`;
}

/** The time of day of an activity's picture: the best time for it, or what is usual for the category. */
export function pictureTime(category: Category, bestTimes: readonly TimeOfDay[]): TimeOfDay {
  const [only, ...others] = bestTimes;
  if (category === 'nightlife') return bestTimes.includes('night') ? 'night' : 'evening';
  if (only !== undefined && others.length === 0) return only;
  if (category === 'dinner') return 'evening';
  return bestTimes.includes('morning') && category !== 'theme-park' ? 'morning' : (only ?? 'afternoon');
}

/** The category with a name; undefined: none. */
export function categoryNamed(name: string): Category | undefined {
  return CATEGORIES.find((category) => category === name);
}

function gradient(id: string, from: string, to: string): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
}
