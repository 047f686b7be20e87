import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../ports/log.ts';
import type { SupplyFile, SupplyFiles, SupplySource } from '../../ports/supply-source.ts';

/** Files that changed are the same when they are looked at again after so long: whoever writes them has finished. */
const SETTLED_MS = 100;
/** Looked at so often, files that never stay the same are given up. */
const LOOKS = 50;
/** Editors write by several steps; so long after the last of them the change is told. */
const QUIET_MS = 100;

type Places = { readonly directory: string; readonly exchangeRatesFile: string };

/** Every `*.json` of a directory, and the file of exchange rates, which may lie anywhere. */
export function supplyFiles({ directory, exchangeRatesFile }: Places, log: Log): SupplySource {
  let last: SupplyFiles | null = null;
  const look = async (): Promise<SupplyFiles> => {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
    const catalogue = await Promise.all(names.map((name) => fileAt(name, join(directory, name))));
    return { place: directory, catalogue, exchangeRates: await fileAt(exchangeRatesFile, exchangeRatesFile) };
  };
  return {
    async read() {
      let seen = await look();
      // What a process starts with is not being changed by anybody: its start does not wait.
      if (last === null || same(seen, last)) {
        last ??= seen;
        return last;
      }
      for (let looks = 1; looks < LOOKS; looks++) {
        await pause(SETTLED_MS);
        const again = await look();
        if (same(seen, again)) {
          if (!same(again, last)) last = again;
          return last;
        }
        seen = again;
      }
      throw new Error(
        `the files in ${directory} were changing for ${LOOKS * SETTLED_MS} ms; nothing was taken from them`,
      );
    },
    watch(changed) {
      let quiet: NodeJS.Timeout | undefined;
      const noticed = (): void => {
        clearTimeout(quiet);
        quiet = setTimeout(changed, QUIET_MS).unref();
      };
      const rates = basename(exchangeRatesFile);
      const watchers = [
        watching(directory, noticed, log),
        watching(dirname(exchangeRatesFile), (name) => (name === null || name === rates ? noticed() : undefined), log),
      ];
      return {
        stop() {
          clearTimeout(quiet);
          for (const watcher of watchers) watcher?.close();
        },
      };
    },
  };
}

async function fileAt(name: string, path: string): Promise<SupplyFile> {
  return { name, text: await readFile(path, 'utf8') };
}

/** Folders are watched and not files: editors put another file in the place of the one that they change. */
function watching(folder: string, noticed: (name: string | null) => void, log: Log): FSWatcher | null {
  const unwatched = (fault: unknown): void => {
    log.warn('folder is not watched; changes in it are noticed later', { folder, fault });
  };
  try {
    return watch(folder, { persistent: false }, (_event, name) => noticed(name)).on('error', unwatched);
  } catch (fault) {
    unwatched(fault);
    return null;
  }
}

function same(left: SupplyFiles, right: SupplyFiles): boolean {
  return (
    sameFile(left.exchangeRates, right.exchangeRates) &&
    left.catalogue.length === right.catalogue.length &&
    left.catalogue.every((file, index) => sameFile(file, right.catalogue[index]))
  );
}

function sameFile(left: SupplyFile, right: SupplyFile | undefined): boolean {
  return left.name === right?.name && left.text === right.text;
}
