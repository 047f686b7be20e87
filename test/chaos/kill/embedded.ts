import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStores } from '../../../src/app/embedded-stores.ts';
import { ready, startProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeCatalogue } from './catalogue.ts';
import { nextCheckpoint } from './checkpoint-watch.ts';
import type { Cast, Left, LifeSettings, Stage } from './stage.ts';

/** The files of a process: the databases with SQLite's WAL files. */
const DATA_FILES = ['events.db', 'read-models.db', 'snapshots.db'].flatMap((file) => [file, `${file}-wal`]);

/** One process with everything in its data directory. */
export async function onEmbeddedStores(): Promise<Stage> {
  const directory = temporaryDirectory();
  const catalogue = directory.file('catalogue');
  const data = directory.file('data');
  const fixed = { DATA_DIR: data, CATALOGUE_DIR: catalogue, PORT: '0' };
  return {
    sale: writeCatalogue(catalogue, Date.now()),
    load: { clients: 16, budget: 2_500, longBudget: 10_000, restMs: 0 },
    // Short, so that many claims expire in a run.
    settings: { RESPONSE_DEADLINE_MS: '400', CLAIM_DEADLINE_MS: '800' },
    standInMs: 0,
    begin: (settings) => oneProcess({ ...settings, ...fixed }),
    nextCheckpoint: (manager, withinMs) => nextCheckpoint(data, manager, withinMs),
    left: async () => leftIn(data),
    bytes: async () =>
      DATA_FILES.filter((file) => existsSync(join(data, file))).map((file) => ({
        file,
        holdsGuests: file.startsWith('events.db') || file.startsWith('read-models.db'),
        text: readFileSync(join(data, file), 'latin1'),
      })),
    async [Symbol.asyncDispose]() {
      directory.remove();
    },
  };
}

function oneProcess(settings: LifeSettings & { readonly DATA_DIR: string }): Cast {
  const program = startProgram(['serve'], settings);
  return {
    words: [program],
    async answering() {
      const { url, adminToken } = await ready(program, settings);
      return { url: () => url, urls: [url], adminToken };
    },
    accident: null,
    async kill() {
      await program.kill();
      return '';
    },
    terminate: async () => [await program.terminate()],
    [Symbol.asyncDispose]: () => program.kill(),
  };
}

/** A copy of the stores of a data directory, so that the audit changes nothing. */
export function leftIn(data: string): Left {
  const copy = temporaryDirectory();
  for (const file of DATA_FILES) {
    const path = join(data, file);
    if (existsSync(path)) copyFileSync(path, copy.file(file));
  }
  const stores = openStores({ dataDirectory: copy.path }, { note: () => {} });
  return {
    store: stores.store,
    readModels: stores.readModels,
    async [Symbol.asyncDispose]() {
      await stores.close();
      copy.remove();
    },
  };
}
