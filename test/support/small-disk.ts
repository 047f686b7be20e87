import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A disk that a test fills and empties while a program keeps its data there. */
export type SmallDisk = Disposable & {
  readonly directory: string;
  /** The command prefix that runs a program on this disk. */
  readonly within: readonly string[];
  /** The path of the files for other processes while the program runs. */
  seenOf(program: Program): string;
  /** Fills the disk: later writes of the program fail. */
  fill(program: Program): Promise<void>;
  empty(program: Program): Promise<void>;
};

/** A disk that is full from the start until a test empties it. */
export const FULL_FROM_THE_START = ['prlimit', '--fsize=0:unlimited'];

/**
 * The limit on file sizes (RLIMIT_FSIZE): each write beyond it fails with EFBIG. It works in every container.
 */
export function limitedDisk(): SmallDisk {
  const directory = temporaryDirectory();
  return {
    directory: directory.path,
    within: [],
    seenOf: () => directory.path,
    fill: ({ pid }) => limitWrites(pid, '0'),
    empty: ({ pid }) => limitWrites(pid, 'unlimited'),
    [Symbol.dispose]: () => directory.remove(),
  };
}

/** Sets the maximum file size of a process, in bytes. */
export function limitWrites(pid: number, bytes: '0' | 'unlimited'): Promise<void> {
  return done(['prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/** More than any test writes. */
const FILE_SYSTEM = 'size=256m';
const MOUNT = 'mount -t tmpfs -o "$0" tmpfs "$1" && shift && exec "$@"';
/** Fills the disk with large blocks first, then to the last page. */
const PIECES = [1_048_576, 4_096];

/** Whether this user may mount a private file system. Containers often forbid it. */
export function mayMount(): boolean {
  using directory = temporaryDirectory();
  return Bun.spawnSync([...mounting(directory.path), 'true']).success;
}

/** A private file system; writes fail with ENOSPC once it is full. It ends with the program. */
export function smallFileSystem(): SmallDisk {
  const directory = temporaryDirectory();
  const seenOf = ({ pid }: Program): string => join(`/proc/${pid}/root`, directory.path);
  return {
    directory: directory.path,
    within: mounting(directory.path),
    seenOf,
    async fill(program) {
      const ballast = openSync(join(seenOf(program), 'ballast'), 'w');
      for (const bytes of PIECES) while (fits(ballast, Buffer.alloc(bytes, 1)));
      closeSync(ballast);
    },
    async empty(program) {
      rmSync(join(seenOf(program), 'ballast'));
    },
    [Symbol.dispose]: () => directory.remove(),
  };
}

function mounting(directory: string): readonly string[] {
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', MOUNT, FILE_SYSTEM, directory];
}

function fits(file: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOSPC') return false;
    throw fault;
  }
}

async function done(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`);
}
