import { ALL_ROLES } from './config/formats.ts';
import { faultsOfProduction } from './config/production.ts';
import type { Parsed, Setting } from './config/setting.ts';
import { SETTINGS } from './config/settings.ts';

export type { Role } from './config/formats.ts';

type Group = { readonly [field: string]: Setting<unknown> | Group };

/** The values of a group of settings, by the same fields. */
type Values<G> = { readonly [Field in keyof G]: G[Field] extends Setting<infer Value> ? Value : Values<G[Field]> };

/** A type that is all types of a union at once. */
type AllOf<Union> = (Union extends unknown ? (part: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

type Fields = AllOf<(typeof SETTINGS)[keyof typeof SETTINGS]>;

/** Every setting, read; the headings of the table are left out. `tls` is null for plain HTTP. */
export type Config = Omit<Values<Fields>, 'tls'> & { readonly tls: TlsFiles | null };
export type MailConfig = Config['mail'];
/** PEM files: the certificate with its intermediates, and its key. */
export type TlsFiles = { readonly cert: string; readonly key: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** One or several settings cannot be used. The message names every one of them. */
export class BadConfiguration extends Error {
  constructor(faults: readonly string[]) {
    super(`the configuration cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'BadConfiguration';
  }
}

/** The settings under each heading of the table. */
export const SETTING_SECTIONS: readonly { readonly title: string; readonly settings: readonly Setting<unknown>[] }[] =
  Object.entries(SETTINGS).map(([title, group]) => ({ title, settings: settingsOf(group) }));

export const ALL_SETTINGS: readonly Setting<unknown>[] = SETTING_SECTIONS.flatMap(({ settings }) => settings);

/**
 * @param use `command`: settings that only a node requires may be missing
 * @throws BadConfiguration naming every setting that cannot be used
 */
export function readConfig(environment: Environment, use: 'serve' | 'command' = 'serve'): Config {
  const faults: string[] = [];
  const isSet = (name: string): boolean => textOf(environment, name) !== '';
  const read = (setting: Setting<unknown>): unknown => {
    const text = textOf(environment, setting.name);
    const parsed: Parsed<unknown> = text === '' ? { value: setting.whenUnset } : setting.parse(text);
    if ('value' in parsed) return parsed.value;
    faults.push(`${setting.name} ${parsed.fault}`);
    return setting.whenUnset;
  };
  const sections: readonly Group[] = Object.values(SETTINGS);
  // The fields and their types are those of the table.
  const { tls, ...values } = Object.assign({}, ...sections.map((section) => valuesOf(section, read))) as Values<Fields>;
  const config: Config = {
    ...values,
    tls: tls.cert === null || tls.key === null ? null : { cert: tls.cert, key: tls.key },
  };
  faults.push(...faultsBetween(config, isSet));
  if (config.production) faults.push(...faultsOfProduction(config, isSet));
  if (use === 'serve') faults.push(...faultsOfNode(config, isSet));
  if (faults.length > 0) throw new BadConfiguration(faults);
  return config;
}

function textOf(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? '';
}

function valuesOf(group: Group, read: (setting: Setting<unknown>) => unknown): object {
  return Object.fromEntries(
    Object.entries(group).map(([field, entry]) => [field, isSetting(entry) ? read(entry) : valuesOf(entry, read)]),
  );
}

function settingsOf(group: Group): Setting<unknown>[] {
  return Object.values(group).flatMap((entry) => (isSetting(entry) ? [entry] : settingsOf(entry)));
}

function isSetting(entry: Setting<unknown> | Group): entry is Setting<unknown> {
  return typeof entry['parse'] === 'function';
}

/** Rules between settings that hold for nodes and commands. */
function faultsBetween(config: Config, isSet: (name: string) => boolean): string[] {
  const { claimMs, responseMs, mail } = config;
  const faults: string[] = [];
  if (isSet('TLS_CERT') !== isSet('TLS_KEY')) {
    const missing = isSet('TLS_CERT') ? 'TLS_KEY' : 'TLS_CERT';
    faults.push(`${missing} must be set too: TLS needs a certificate and its key`);
  }
  if (claimMs < responseMs * 2)
    faults.push(`CLAIM_DEADLINE_MS (${claimMs}) must be at least twice RESPONSE_DEADLINE_MS (${responseMs})`);
  const { secretKey, secretKeyPrevious } = config;
  if (secretKey !== null && secretKeyPrevious !== null && Buffer.compare(secretKey, secretKeyPrevious) === 0)
    faults.push('WAYMARK_SECRET_KEY_PREVIOUS must differ from WAYMARK_SECRET_KEY');
  if (mail.server?.verified === true && !isSet('MAIL_FROM'))
    faults.push('MAIL_FROM must say who the mails come from: other mail servers take none from waymark.localhost');
  return faults;
}

/** What nodes that share stores must have in common, and what a node without all roles needs (docs/decisions/0028). */
function faultsOfNode({ roles }: Config, isSet: (name: string) => boolean): string[] {
  const faults: string[] = [];
  const shared = isSet('EVENTSTORE_URL');
  if (shared !== isSet('MONGODB_URL'))
    faults.push(
      'EVENTSTORE_URL and MONGODB_URL must both be set, or neither: read models belong to the log they were made from',
    );
  if (shared)
    for (const name of ['WAYMARK_SECRET_KEY', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_ANALYST_TOKEN'])
      if (!isSet(name)) faults.push(`${name} must be set with EVENTSTORE_URL: every node must have the same one`);
  if (!shared && isSet('WAYMARK_STREAM_PREFIX'))
    faults.push('WAYMARK_STREAM_PREFIX needs EVENTSTORE_URL: the log in DATA_DIR belongs to one installation');
  if (shared && isSet('ERASURE_LEDGER'))
    faults.push('ERASURE_LEDGER must not be set with EVENTSTORE_URL: nodes share the list of erasures in MongoDB');
  if (roles.size === ALL_ROLES.length) return faults;
  if (!shared)
    faults.push('WAYMARK_ROLES must name all roles if EVENTSTORE_URL is not set: one process has the data directory');
  if (!isSet('PUBLIC_URL') && (roles.has('api') || roles.has('deliverer')))
    faults.push(
      'PUBLIC_URL must be set if roles are split: vouchers contain the address of the service, not of a node',
    );
  if (!isSet('SMTP_URL') && roles.has('deliverer'))
    faults.push('SMTP_URL must be set if roles are split: other nodes cannot read the outbox of this node');
  return faults;
}
