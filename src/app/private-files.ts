import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../ports/operator-error.ts';

const OWNER_ONLY = 0o600;
/** Permissions of group and others. */
const OTHERS = 0o077;

/**
 * Replaces a file atomically, readable by its owner only: on a full disk, a kill or a power failure the old content
 * stays. The caller has locked the data directory, so an unfinished file is a killed process's.
 */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    // `wx` follows no link that lies in the way.
    writeFileSync(unfinished, text, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    renameSync(unfinished, path);
    syncDirectory(dirname(path));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * The content of a secret file, null if there is none. Takes the permissions of group and others away.
 *
 * @param widened called with the file's mode, such as `644`, if others could read or write it
 * @throws OperatorError if they can and this process may not change that
 */
export function readPrivately(path: string, widened: (mode: string) => void): string | null {
  try {
    const mode = statSync(path).mode & 0o777;
    if ((mode & OTHERS) !== 0) {
      chmodSync(path, OWNER_ONLY);
      widened(mode.toString(8));
    }
    return readFileSync(path, 'utf8').trim();
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'EPERM' || code === 'EROFS')
      throw new OperatorError(
        `${path} can be read by other users, and its mode cannot be changed; set its mode to 600`,
      );
    throw fault;
  }
}

/** Makes a rename durable. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
