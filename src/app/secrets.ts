import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

export type Secrets = {
  readonly secretKey: Uint8Array;
  readonly adminToken: string;
  readonly analystToken: string;
  /** Names of the secrets created at this start, which are shown once. */
  readonly made: readonly string[];
};

const OWNER_ONLY = 0o600;

/** The configured secrets, and for the rest those stored in the data directory (mode 600). */
export function openSecrets(config: Config): Secrets {
  const made: string[] = [];
  const kept = (name: string, configured: string | null): string => {
    if (configured !== null) return configured;
    const path = join(config.dataDirectory, name);
    if (!existsSync(path)) {
      writePrivately(path, randomBytes(32).toString('hex'));
      made.push(name);
    }
    return readFileSync(path, 'utf8').trim();
  };
  const configuredKey = config.secretKey === null ? null : Buffer.from(config.secretKey).toString('hex');
  return {
    secretKey: Buffer.from(kept('secret-key', configuredKey), 'hex'),
    adminToken: kept('admin-token', config.adminToken),
    analystToken: kept('analyst-token', config.analystToken),
    made,
  };
}

/**
 * Replaces a file atomically, readable by its owner only: on a full disk or a power failure the old content stays.
 */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.unfinished`;
  try {
    writeFileSync(unfinished, text, { mode: OWNER_ONLY, flush: true });
    chmodSync(unfinished, OWNER_ONLY);
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
