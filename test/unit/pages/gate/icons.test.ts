import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { PNG } from 'pngjs';
import { ROOT, readSource } from '../../../support/files.ts';

/** Draw them again after a change of icon.svg: `new Resvg(svg, …).render().asPng()`. */
test.each([192, 512])('the icon of %p pixels is the drawing', async (size) => {
  const module = Bun.resolveSync('@resvg/resvg-wasm/index_bg.wasm', import.meta.dir);
  await initWasm(readFileSync(module)).catch((fault: unknown) => expect(String(fault)).toContain('initialized'));
  const drawn = new Resvg(readSource('src/pages/gate/icon.svg'), { fitTo: { mode: 'width', value: size } });
  const kept = PNG.sync.read(readFileSync(join(ROOT, `src/pages/gate/icon-${size}.png`)));
  expect([kept.width, kept.height]).toEqual([size, size]);
  expect(kept.data.equals(Buffer.from(drawn.render().pixels))).toBe(true);
});
