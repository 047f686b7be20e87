import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** Where the running service is, without a slash at the end: as set, else as it left it; null if neither is known. */
export function serviceUrl(config: Config): string | null {
  return config.serviceUrl ?? kept(config, 'address');
}

/** What the service keeps in a file of its data directory; null if there is none. */
export function kept(config: Config, file: string): string | null {
  const path = join(config.dataDirectory, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
