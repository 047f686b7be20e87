import { wideRanges } from '../application/key/address-ranges.ts';

/** Random texts of 32 characters have more different ones, hexadecimal digits too. */
const LEAST_LENGTH = 32;
const LEAST_DIFFERENT = 8;

type Settings = {
  /** Null: plain HTTP. */
  readonly tls: object | null;
  readonly trustedProxies: readonly string[];
  readonly secretKey: Uint8Array | null;
  readonly adminToken: string | null;
  readonly analystToken: string | null;
};

/** The settings that are refused with `NODE_ENV=production` only (docs/decisions/0075). */
export function faultsOfProduction(config: Settings, isSet: (name: string) => boolean): string[] {
  const faults: string[] = [];
  if (isSet('WAYMARK_TEST_CLOCK')) faults.push('WAYMARK_TEST_CLOCK is refused in production');
  if (!isSet('TRUSTED_PROXIES') && config.tls === null)
    faults.push(
      'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES with the proxies that end TLS in front, must be set: in production plain HTTP is refused',
    );
  const wide = wideRanges(config.trustedProxies);
  if (wide.length > 0)
    faults.push(
      `TRUSTED_PROXIES must name the proxies in front, not all addresses: "${wide.join('", "')}" is wider than 10.0.0.0/8 or fc00::/7`,
    );
  faults.push(...faultsOfSecrets(secretsOf(config)));
  return faults;
}

/** Secrets by name that can be guessed or are equal; null: not known here. */
export function faultsOfSecrets(named: Readonly<Record<string, string | null>>): string[] {
  const faults: string[] = [];
  const secrets = Object.entries(named).flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
  for (const { name, text } of secrets) {
    const weakness = weaknessOf(text);
    if (weakness !== null) faults.push(`${name} ${weakness}; in production take 64 random hexadecimal characters`);
  }
  for (const [index, { name, text }] of secrets.entries()) {
    const same = secrets.slice(0, index).find((other) => other.text === text);
    if (same !== undefined) faults.push(`${name} must differ from ${same.name}`);
  }
  return faults;
}

function secretsOf({ secretKey, adminToken, analystToken }: Settings): Readonly<Record<string, string | null>> {
  return {
    WAYMARK_SECRET_KEY: secretKey === null ? null : Buffer.from(secretKey).toString('hex'),
    WAYMARK_ADMIN_TOKEN: adminToken,
    WAYMARK_ANALYST_TOKEN: analystToken,
  };
}

/** Why a secret can be guessed, without showing it; null if it looks random. */
function weaknessOf(secret: string): string | null {
  if (/^0+$/.test(secret)) return 'must not be all zeros';
  if (secret.length < LEAST_LENGTH) return `must have at least ${LEAST_LENGTH} characters; it has ${secret.length}`;
  const codes = Array.from(secret, (character) => character.codePointAt(0) ?? 0);
  // The steps of an alphabet or a row of digits are equal.
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0));
  const varied = [codes, steps].every((numbers) => new Set(numbers).size >= LEAST_DIFFERENT);
  if (varied && !/^(.+)\1+$/.test(secret)) return null;
  return 'must be random; it repeats itself';
}
