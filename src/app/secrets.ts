import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_KEY, TOKEN } from '../config/formats.ts';
import { faultsOfSecrets } from '../config/production.ts';
import type { Format } from '../config/setting.ts';
import { BadConfiguration, type Config } from '../config.ts';
import type { Log } from '../ports/log.ts';
import { readPrivately, writePrivately } from './private-files.ts';
import {
  adoptKeys,
  planKeys,
  readStoredKeys,
  SecretKeyRefused,
  type SecretKeys,
  type SecretKeysContext,
} from './secret-keys.ts';

export type Secrets = SecretKeys & {
  readonly adminToken: string;
  readonly analystToken: string;
  /** Paths of the secrets generated at this start. */
  readonly made: readonly string[];
};

/** Permissions with which others can replace a file of the directory. */
const WRITABLE_BY_OTHERS = 0o022;
const SECRET_BYTES = 32;

/**
 * The configured secrets, and for the rest those stored in the data directory. What is missing is generated after the keys
 * were compared with the log, so that a start with wrong keys writes nothing.
 *
 * @throws BadConfiguration if a stored secret is malformed, or weak in production
 * @throws SecretKeyRefused if the secret keys are not those of this log
 * @throws StoreUnavailable if the event store does not answer
 */
export async function openSecrets(config: Config, context: SecretKeysContext): Promise<Secrets> {
  const files = readSecretFiles(config, context.log);
  const stored = await readStoredKeys(context);
  const previous = config.secretKeyPrevious ?? files.previous;
  const known = config.secretKey ?? files.secretKey;
  if (known === null && previous === null && stored.voucherKey !== null)
    throw new SecretKeyRefused(
      `WAYMARK_SECRET_KEY is not set and ${pathOf(config, 'secret-key')} is missing, but the log has sealed secrets; take the key from your copy`,
    );
  const generated = randomBytes(SECRET_BYTES);
  const plan = planKeys(known ?? generated, previous, stored);
  const made: string[] = [];
  const make = (name: string, bytes: Uint8Array): string => {
    const path = pathOf(config, name);
    const text = Buffer.from(bytes).toString('hex');
    writePrivately(path, text);
    made.push(path);
    return text;
  };
  // On the disk before the log names it.
  if (known === null) make('secret-key', generated);
  const adminToken = config.adminToken ?? files.adminToken ?? make('admin-token', randomBytes(SECRET_BYTES));
  const analystToken = config.analystToken ?? files.analystToken ?? make('analyst-token', randomBytes(SECRET_BYTES));
  if (config.production && made.length > 0) context.log.info('secrets generated', { files: made });
  return { ...(await adoptKeys(plan, context)), adminToken, analystToken, made };
}

/** The secret key for a log without events. */
export function firstSecretKey(config: Config, log: Log): Uint8Array {
  const known = config.secretKey ?? readSecretFiles(config, log).secretKey;
  if (known !== null) return known;
  const generated = randomBytes(SECRET_BYTES);
  writePrivately(pathOf(config, 'secret-key'), generated.toString('hex'));
  return generated;
}

/** The stored secrets that no setting replaces; null: there is none. */
function readSecretFiles(config: Config, log: Log) {
  const { dataDirectory, production } = config;
  const faults: string[] = [];
  const texts: Record<string, string> = {};
  const read = <Value>(name: string, configured: Value | null, format: Format<Value>): Value | null => {
    const path = pathOf(config, name);
    const widened = (mode: string): void => log.warn('secret file was open to others', { file: path, mode });
    const text = configured === null ? readPrivately(path, widened) : null;
    if (text === null) return null;
    texts[path] = text;
    const parsed = format.parse(text);
    if ('value' in parsed) return parsed.value;
    faults.push(`${path} ${parsed.fault}; restore it from your copy`);
    return null;
  };
  if (existsSync(dataDirectory) && (statSync(dataDirectory).mode & WRITABLE_BY_OTHERS) !== 0)
    log.warn('data directory is writable by others', { directory: dataDirectory });
  const files = {
    secretKey: read('secret-key', config.secretKey, SECRET_KEY),
    adminToken: read('admin-token', config.adminToken, TOKEN),
    analystToken: read('analyst-token', config.analystToken, TOKEN),
  };
  // A rotation may be what replaces a weak key.
  if (production && faults.length === 0) faults.push(...faultsOfSecrets(texts));
  const previous = read('secret-key-previous', config.secretKeyPrevious, SECRET_KEY);
  if (faults.length > 0) throw new BadConfiguration(faults);
  return { ...files, previous };
}

function pathOf({ dataDirectory }: Config, name: string): string {
  return join(dataDirectory, name);
}
