import { expect, test } from 'bun:test';
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { supplyFiles } from '../../../src/adapters/system/supply-files.ts';
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
  /** Resolves when a change was noticed, and does what makes one. */
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

test('the files are read in the order of their names; what is not *.json is left alone', async () => {
  using scene = await openScene();
  const { directory: place, exchangeRatesFile } = scene.places;
  expect(await scene.source.read()).toEqual({
    place,
    catalogue: [
      { name: 'a.json', text: 'one' },
      { name: 'b.json', text: 'two' },
    ],
    exchangeRates: { name: exchangeRatesFile, text: 'rates' },
  });
});

test('files that have not changed are the same object, also where they were written anew', async () => {
  using scene = await openScene();
  const first = await scene.source.read();
  scene.write('catalogue/a.json', 'one');
  expect(await scene.source.read()).toBe(first);
  scene.write('catalogue/a.json', 'another');
  const second = await scene.source.read();
  expect(second.catalogue).toEqual([
    { name: 'a.json', text: 'another' },
    { name: 'b.json', text: 'two' },
  ]);
  expect(await scene.source.read()).toBe(second);
});

test('what is still being written is waited for, and taken as a whole', async () => {
  using scene = await openScene();
  await scene.source.read();
  // As a deployment does it: every file goes, and comes back one by one.
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

test('a change is noticed: written in place, put in the place of another, gone, in the rates, behind a link', async () => {
  using scene = await openScene();
  await scene.noticed(() => scene.write('catalogue/a.json', 'new'));
  scene.write('draft', 'newer');
  await scene.noticed(() => renameSync(scene.file('draft'), scene.file('catalogue/a.json')));
  await scene.noticed(() => rmSync(scene.file('catalogue/b.json')));
  await scene.noticed(() => scene.write('rates/rates.json', 'new'));
  await scene.noticed(() => symlinkSync(scene.file('draft'), scene.file('catalogue/..data')));
  expect(scene.log.lines).toEqual([]);
});

test('a folder that cannot be watched is told, and read all the same; one that is not there is thrown', async () => {
  using scene = await openScene();
  const places = { ...scene.places, directory: scene.file('nowhere') };
  const source = supplyFiles(places, scene.log);
  source.watch(() => {}).stop();
  expect(scene.log.lines.map(({ level, happening }) => [level, happening])).toEqual([
    ['warn', 'folder is not watched; changes in it are noticed later'],
  ]);
  expect(await source.read().catch((fault: unknown) => fault)).toMatchObject({ code: 'ENOENT' });
});
