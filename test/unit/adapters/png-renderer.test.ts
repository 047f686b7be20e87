import { afterEach, expect, test } from 'bun:test';
import { PNG } from 'pngjs';
import { openPngRenderer } from '../../../src/adapters/resvg/png-renderer.ts';
import type { PngRenderer } from '../../../src/ports/png-renderer.ts';
import { collectedLog } from '../../support/log.ts';

const SQUARE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"><rect width="8" height="6" fill="#c04020"/></svg>';
const BROKEN = '<svg';

const log = collectedLog();
let renderer: PngRenderer = openPngRenderer(log);

afterEach(async () => {
  await renderer.stop();
  renderer = openPngRenderer(log);
});

test('an image has the size and colours of its SVG', async () => {
  const { width, height, data } = PNG.sync.read(Buffer.from((await renderer.render(SQUARE)) ?? []));
  expect([width, height, [...data.subarray(0, 4)]]).toEqual([8, 6, [0xc0, 0x40, 0x20, 0xff]]);
});

test('a fault ends the thread, is logged, and the next image is drawn by another one', async () => {
  expect(await renderer.render(BROKEN)).toBeNull();
  expect(log.lines.map(({ happening }) => happening)).toEqual(['picture thread lost']);
  expect(await renderer.render(SQUARE)).not.toBeNull();
});

test('at most 64 images wait', async () => {
  const answers = await Promise.all(Array.from({ length: 66 }, () => renderer.render(SQUARE)));
  expect(answers.filter((png) => png === null)).toHaveLength(2);
});

test('what waits when it stops is not drawn, and nothing after that', async () => {
  const waiting = renderer.render(SQUARE);
  await renderer.stop();
  expect([await waiting, await renderer.render(SQUARE)]).toEqual([null, null]);
});
