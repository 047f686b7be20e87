import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORIES, TIMES_OF_DAY } from '../../../src/domain/activity/vocabulary.ts';
import { drawPicture, type PictureSubject, pictureTime } from '../../../src/pictures/picture.ts';
import { CATALOGUE_DIRECTORY, parseCatalogue } from '../../../src/supply/catalogue-file.ts';

const catalogue = readdirSync(CATALOGUE_DIRECTORY).flatMap((file) => {
  const reading = parseCatalogue(file, readFileSync(join(CATALOGUE_DIRECTORY, file), 'utf8'));
  if (reading.kind === 'faults') throw new Error(`${file} has faults`);
  return reading.activities;
});
const ofCategories = CATEGORIES.flatMap((category) =>
  TIMES_OF_DAY.map((time): PictureSubject => ({ activityId: null, category, time })),
);
const ofActivities = catalogue.map(
  ({ id, category, bestTimes }): PictureSubject => ({
    activityId: id,
    category,
    time: pictureTime(category, bestTimes),
  }),
);

/** Throws for markup that is not well-formed. @returns the names of the elements */
function elementsOf(svg: string): ReadonlySet<string> {
  const open: string[] = [];
  const names = new Set<string>();
  const rest = svg.replace(
    /<(\/?)(\w+)((?: [\w-]+(?::\w+)?="[^"<>]*")*)(\/?)>/g,
    (_, closes: string, name: string, __: string, isEmpty: string) => {
      names.add(name);
      if (closes !== '' && open.pop() !== name) throw new Error(`${name} is not open`);
      if (closes === '' && isEmpty === '') open.push(name);
      return '';
    },
  );
  if (rest !== '' || open.length > 0) throw new Error(`not well-formed: ${rest.slice(0, 80)} ${open.join()}`);
  return names;
}

describe('the picture of every category and activity', () => {
  test.each([
    ['categories', ofCategories],
    ['activities', ofActivities],
  ])('%s: is well-formed SVG of 1200 × 800 without text, script or address', (_, subjects) => {
    expect(subjects.length).toBeGreaterThanOrEqual(CATEGORIES.length);
    for (const subject of subjects) {
      const svg = drawPicture(subject);
      expect(svg).toStartWith(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 800" width="1200" height="800">',
      );
      const allowed = ['svg', 'g', 'defs', 'linearGradient', 'stop', 'clipPath', 'path', 'rect', 'circle', 'ellipse'];
      expect([...elementsOf(svg)].filter((name) => !allowed.includes(name))).toEqual([]);
      expect(svg).not.toMatch(/NaN|undefined|Infinity|href|style=/);
      expect(svg.length).toBeLessThan(40_000);
    }
  });

  test('is the same each time, and differs between activities', () => {
    const drawn = ofActivities.map(drawPicture);
    expect(ofActivities.map(drawPicture)).toEqual(drawn);
    expect(new Set(drawn).size).toBe(ofActivities.length);
  });

  test('shows the best time of day', () => {
    expect(pictureTime('nightlife', ['evening', 'night'])).toBe('night');
    expect(pictureTime('nightlife', ['afternoon'])).toBe('evening');
    expect(pictureTime('dinner', [])).toBe('evening');
    expect(pictureTime('zoo', ['night'])).toBe('night');
    expect(pictureTime('zoo', ['morning', 'afternoon'])).toBe('morning');
    expect(pictureTime('theme-park', [])).toBe('afternoon');
  });
});
