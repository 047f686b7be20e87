/** Where MongoDB is. The URL holds the password, if there is one: it is never written anywhere. */
export type MongoAddress = {
  readonly url: string;
  readonly database: string;
  /** For messages: hosts and database, without user and password. */
  readonly shown: string;
};

const DEFAULT_DATABASE = 'waymark';
const URL_PARTS = /^mongodb(?:\+srv)?:\/\/(?:[^@/?#\s]+@)?([^@/?#\s]+)(?:\/([^/?#\s]*))?(?:\?([^#\s]*))?$/;
const HOSTS = /^[^,\s]+(?:,[^,\s]+)*$/;
/** MongoDB allows more, but not on every system. */
const DATABASE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,37}$/;
/** What Waymark's promises rest on is not for a URL to say (docs/decisions/0026). */
const OURS = ['w', 'journal', 'j', 'readconcernlevel', 'readpreference', 'retrywrites'];

/** What stands in MONGODB_URL; the rule that it breaks does not repeat it. */
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
