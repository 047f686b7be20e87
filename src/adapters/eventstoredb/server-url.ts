/** The EventStoreDB server or cluster of EVENTSTORE_URL. */
export type EventStoreServer = {
  readonly endpoints: readonly { readonly address: string; readonly port: number }[];
  /** Whether the endpoints are used to discover the cluster's members; the client then connects to the leader. */
  readonly discover: boolean;
  readonly tls: boolean;
  /** A file of trusted CA certificates (PEM); null: the system's. */
  readonly caFile: string | null;
  readonly credentials: { readonly username: string; readonly password: string } | null;
};

type EventStoreUrl =
  | { readonly kind: 'server'; readonly server: EventStoreServer }
  | { readonly kind: 'fault'; readonly rule: string };

const DEFAULT_PORT = 2113;
const URL_SHAPE = /^(esdb|esdb\+discover):\/\/(?:([^:@/?#]*):([^@/?#]*)@)?([^@/?#]+)\/?(?:\?([^#]*))?$/;
const HOST_SHAPE = /^(\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(\d{1,5}))?$/i;
const RULE =
  'must be esdb://user:password@host[:port][,host[:port]…] or esdb+discover://…, with at most ?tls=false or ?tlsCAFile=… behind it';

/**
 * Parses EVENTSTORE_URL, a connection string as in EventStoreDB's documentation. The returned rule never contains the
 * URL, which holds a password.
 */
export function readEventStoreUrl(text: string): EventStoreUrl {
  const parts = URL_SHAPE.exec(text.trim());
  if (parts === null) return fault(RULE);
  const [, scheme, user, password, hosts = '', query = ''] = parts;
  const endpoints = endpointsOf(hosts);
  if (endpoints === null) return fault(RULE);
  const credentials = credentialsOf(user, password);
  if (credentials === 'garbled') return fault('has a user or password that is empty or not percent-encoded');
  const options = optionsOf(query);
  if (options.kind === 'fault') return options;
  const { tls, caFile } = options;
  if (!tls && credentials !== null)
    return fault('has a password, which is not sent unencrypted; leave out ?tls=false, or the user and password');
  if (!tls && caFile !== null) return fault('has a tlsCAFile that ?tls=false would leave unused');
  if (tls && credentials === null)
    return fault('has no user and password: a server with TLS shows its log to known users only');
  const discover = scheme === 'esdb+discover' || endpoints.length > 1;
  return { kind: 'server', server: { endpoints, discover, tls, caFile, credentials } };
}

function fault(rule: string): { readonly kind: 'fault'; readonly rule: string } {
  return { kind: 'fault', rule };
}

function endpointsOf(hosts: string): EventStoreServer['endpoints'] | null {
  const endpoints = hosts.split(',').map((host) => {
    const [, address = '', port] = HOST_SHAPE.exec(host) ?? [];
    return { address, port: port === undefined ? DEFAULT_PORT : Number(port) };
  });
  return endpoints.every(({ address, port }) => address !== '' && port > 0 && port < 65_536) ? endpoints : null;
}

function credentialsOf(user: string | undefined, password: string | undefined) {
  if (user === undefined || password === undefined) return null;
  try {
    const credentials = { username: decodeURIComponent(user), password: decodeURIComponent(password) };
    return credentials.username === '' || credentials.password === '' ? 'garbled' : credentials;
  } catch {
    return 'garbled';
  }
}

type Options =
  | { readonly kind: 'options'; readonly tls: boolean; readonly caFile: string | null }
  | { readonly kind: 'fault'; readonly rule: string };

/** Option names are case-insensitive, as in EventStoreDB's own clients. */
function optionsOf(query: string): Options {
  let [tls, caFile]: [boolean, string | null] = [true, null];
  for (const [name, value] of new URLSearchParams(query)) {
    switch (name.toLowerCase()) {
      case 'tls':
        if (value !== 'true' && value !== 'false') return fault('has a ?tls= that is neither true nor false');
        tls = value === 'true';
        break;
      case 'tlscafile':
        if (value === '') return fault('has an empty tlsCAFile');
        caFile = value;
        break;
      default:
        return fault(`has the option "${name}"; it takes tls and tlsCAFile only`);
    }
  }
  return { kind: 'options', tls, caFile };
}
