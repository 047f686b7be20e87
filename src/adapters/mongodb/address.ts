/** The address of MongoDB. The URL may hold a password, so it is never logged. */
export type MongoAddress = {
  readonly url: string;
  readonly database: string;
  /** Hosts and database without user and password, for messages. */
  readonly shown: string;
};

const DEFAULT_DATABASE = 'waymark';
const URL_PARTS = /^mongodb(?:\+srv)?:\/\/(?:[^@/?#\s]+@)?([^@/?#\s]+)(?:\/([^/?#\s]*))?(?:\?([^#\s]*))?$/;
const HOSTS = /^[^,\s]+(?:,[^,\s]+)*$/;
/** Stricter than MongoDB, whose rules differ between systems. */
const DATABASE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,37}$/;
/** Options that Waymark sets itself, because its guarantees depend on them (docs/decisions/0026). */
const OURS = ['w', 'journal', 'j', 'readconcernlevel', 'readpreference', 'retrywrites'];

/** Parses MONGODB_URL. The returned rule never contains the URL. */
export function readMongoUrl(
  text: string,
): { readonly kind: 'address'; readonly address: MongoAddress } | { readonly kind: 'fault'; readonly rule: string } {
  const [, hosts = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (!HOSTS.test(hosts)) {
    return fault(
      'must be mongodb://[user:password@]host[:port][,…][/database][?options], or begin with mongodb+srv://',
    );
  }
  const database = path === '' ? DEFAULT_DATABASE : path;
  if (!DATABASE_NAME.test(database)) {
    return fault('must name a database of letters, digits, - and _, at most 38, beginning with a letter');
  }
  const named = [...new URLSearchParams(query).keys()].find((option) => OURS.includes(option.toLowerCase()));
  if (named !== undefined) {
    return fault('must not set w, journal, readConcernLevel, readPreference or retryWrites: Waymark sets them');
  }
  return { kind: 'address', address: { url: text, database, shown: `${hosts}/${database}` } };
}

function fault(rule: string): { readonly kind: 'fault'; readonly rule: string } {
  return { kind: 'fault', rule };
}
