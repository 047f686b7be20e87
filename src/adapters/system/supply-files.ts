import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { Log } from '../../ports/log.ts';
import type { SupplyFile, SupplyFiles, SupplySource } from '../../ports/supply-source.ts';

/** Changed files are read again after this time; if they are the same, their writer has finished. */
const SETTLED_MS = 100;
/** Maximum number of reads of files that keep changing. */
const LOOKS = 50;
/** Editors write in several steps; the change is reported this long after the last one. */
const QUIET_MS = 100;

type Places = { readonly directory: string; readonly exchangeRatesFile: string };

/** Every `*.json` of a directory, and the file of exchange rates, which may be elsewhere. */
export function supplyFiles({ directory, exchangeRatesFile }: Places, log: Log): SupplySource {
  let last: LookedAt | null = null;
  const look = async (): Promise<LookedAt> => {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
    const known = new Map(
      (last === null ? [] : [...last.catalogue, last.exchangeRates]).map((file) => [file.name, file]),
    );
    const catalogue: PackedFile[] = [];
    // One by one: together they may have hundreds of megabytes.
    for (const name of names) catalogue.push(await fileAt(name, join(directory, name), known));
    const exchangeRates = await fileAt(exchangeRatesFile, exchangeRatesFile, known);
    return { directory, catalogue, exchangeRates };
  };
  return {
    async read() {
      let seen = await look();
      // At the start nothing changes the files, so the first read does not wait.
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
      throw new Error(`the files in ${directory} kept changing for ${LOOKS * SETTLED_MS} ms; none of them was loaded`);
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

type LookedAt = Pick<SupplyFiles, 'directory'> & {
  readonly catalogue: readonly PackedFile[];
  readonly exchangeRates: PackedFile;
};

const compress = promisify(zstdCompress);

/** The text is kept compressed, since it is only read when a file changes: 20,000 activities have 220 MB. */
class PackedFile implements SupplyFile {
  readonly name: string;
  readonly hash: string;
  readonly #packed: Buffer;

  constructor(name: string, hash: string, packed: Buffer) {
    this.name = name;
    this.hash = hash;
    this.#packed = packed;
  }

  get text(): string {
    return zstdDecompressSync(this.#packed).toString('utf8');
  }
}

/** The known file of that name if it is unchanged. */
async function fileAt(name: string, path: string, known: ReadonlyMap<string, PackedFile>): Promise<PackedFile> {
  const bytes = await readFile(path);
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const before = known.get(name);
  return before?.hash === hash ? before : new PackedFile(name, hash, await compress(bytes));
}

/** Watches directories instead of files: editors replace the file that they change. */
function watching(folder: string, noticed: (name: string | null) => void, log: Log): FSWatcher | null {
  const unwatched = (fault: unknown): void => {
    log.warn('folder not watched: changes are noticed later', { folder, fault });
  };
  try {
    return watch(folder, { persistent: false }, (_event, name) => noticed(name)).on('error', unwatched);
  } catch (fault) {
    unwatched(fault);
    return null;
  }
}

function same(left: LookedAt, right: LookedAt): boolean {
  return (
    sameFile(left.exchangeRates, right.exchangeRates) &&
    left.catalogue.length === right.catalogue.length &&
    left.catalogue.every((file, index) => sameFile(file, right.catalogue[index]))
  );
}

function sameFile(left: PackedFile, right: PackedFile | undefined): boolean {
  return left.name === right?.name && left.hash === right.hash;
}
