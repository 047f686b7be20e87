import { expect, test } from 'bun:test';
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { supplyFiles } from '../../../src/adapters/system/supply-files.ts';
import type { SupplyFiles } from '../../../src/ports/supply-source.ts';
import { collectedLog } from '../../support/log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function openScene() {
  const directory = temporaryDirectory();
  await mkdir(directory.file('catalogue'));
  await mkdir(directory.file('rates'));
  const places = { directory: directory.file('catalogue'), exchangeRatesFile: directory.file('rates/rates.json') };
  const write = (name: string, text: string): void => writeFileSync(directory.file(name), text);
  write('catalogue/b.json', 'two');
  write('catalogue/a.json', 'one');
  write('catalogue/notes.md', 'not ours');
  write('rates/rates.json', 'rates');
  const log = collectedLog();
  const source = supplyFiles(places, log);
  /** Makes a change, and resolves when it was noticed. */
  const noticed = (change: () => void): Promise<void> =>
    new Promise((resolve) => {
      const watcher = source.watch(() => {
        watcher.stop();
        resolve();
      });
      change();
    });
  const file = (name: string): string => directory.file(name);
  return { source, places, write, noticed, log, file, [Symbol.dispose]: () => directory.remove() };
}

const textsOf = ({ catalogue, exchangeRates }: SupplyFiles): readonly string[] =>
  [...catalogue, exchangeRates].map(({ name, text }) => `${name}: ${text}`);

test('the files are read in the order of their names; files other than *.json are ignored', async () => {
  using scene = await openScene();
  const { directory, exchangeRatesFile } = scene.places;
  const files = await scene.source.read();
  expect([files.directory, textsOf(files)]).toEqual([
    directory,
    ['a.json: one', 'b.json: two', `${exchangeRatesFile}: rates`],
  ]);
});

test('unchanged files are the same object, also if they were rewritten', async () => {
  using scene = await openScene();
  const first = await scene.source.read();
  scene.write('catalogue/a.json', 'one');
  expect(await scene.source.read()).toBe(first);
  scene.write('catalogue/a.json', 'another');
  const second = await scene.source.read();
  expect(textsOf(second).slice(0, 2)).toEqual(['a.json: another', 'b.json: two']);
  // Unchanged files are not read again.
  expect(second.catalogue[1]).toBe(first.catalogue[1]);
  expect(await scene.source.read()).toBe(second);
});

test('files are read only after their writer has finished', async () => {
  using scene = await openScene();
  await scene.source.read();
  // Like a deployment: every file is removed, and written again one by one.
  unlinkSync(scene.file('catalogue/a.json'));
  let written = 0;
  const writing = setInterval(() => {
    scene.write(`catalogue/${['a', 'b', 'c', 'd'][written]}.json`, 'new');
    if (++written === 4) clearInterval(writing);
  }, 40);
  const { catalogue } = await scene.source.read();
  expect(catalogue.map(({ name, text }) => `${name} ${text}`)).toEqual([
    'a.json new',
    'b.json new',
    'c.json new',
    'd.json new',
  ]);
});

test('a change is noticed: written in place, replaced, removed, in the rates, behind a link', async () => {
  using scene = await openScene();
  await scene.noticed(() => scene.write('catalogue/a.json', 'new'));
  scene.write('draft', 'newer');
  await scene.noticed(() => renameSync(scene.file('draft'), scene.file('catalogue/a.json')));
  await scene.noticed(() => rmSync(scene.file('catalogue/b.json')));
  await scene.noticed(() => scene.write('rates/rates.json', 'new'));
  await scene.noticed(() => symlinkSync(scene.file('draft'), scene.file('catalogue/..data')));
  expect(scene.log.lines).toEqual([]);
});

test('a directory that cannot be watched is logged and read; a missing one is thrown', async () => {
  using scene = await openScene();
  const places = { ...scene.places, directory: scene.file('nowhere') };
  const source = supplyFiles(places, scene.log);
  source.watch(() => {}).stop();
  expect(scene.log.lines.map(({ level, happening }) => [level, happening])).toEqual([
    ['warn', 'folder not watched: changes are noticed later'],
  ]);
  expect(await source.read().catch((fault: unknown) => fault)).toMatchObject({ code: 'ENOENT' });
});
