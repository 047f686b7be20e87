/** A mail server, as SMTP_URL names it. */
export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  /** `from-the-start`: smtps; `required`: STARTTLS or nothing is sent; `offered`: STARTTLS where the server has it. */
  readonly tls: 'from-the-start' | 'required' | 'offered';
  /** Whether its certificate must be one that we trust: always, except on this very machine. */
  readonly verified: boolean;
  readonly auth: { readonly user: string; readonly password: string } | null;
};

export type SmtpUrl =
  | { readonly kind: 'server'; readonly server: SmtpServer }
  | { readonly kind: 'fault'; readonly rule: string };

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const RULE =
  'must be smtp://[user:password@]host[:port] or smtps://…, with at most ?tls=required or ?tls=offered behind it';

/**
 * Reads SMTP_URL. Beyond this machine smtp:// demands STARTTLS, unless `?tls=offered` says otherwise; on this machine it
 * takes it where it is offered, with whatever certificate, since nobody is in between. The rule never shows the URL,
 * which may hold a password.
 */
export function readSmtpUrl(text: string): SmtpUrl {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (url === null || (scheme !== 'smtp:' && scheme !== 'smtps:')) return fault(RULE);
  const query = url.search.replace(/^\?/, '');
  const asked = /^tls=(required|offered)$/.exec(query)?.[1] ?? null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || !/^\/?$/.test(url.pathname) || url.hash !== '' || (query !== '' && asked === null))
    return fault(RULE);
  if (user === null || password === null) return fault('has a user or password that is not percent-encoded');
  if (scheme === 'smtps:' && asked !== null) return fault('is smtps:// and always encrypted; leave out ?tls=');
  const local = isThisMachine(host);
  const tls = scheme === 'smtps:' ? 'from-the-start' : (tlsOf(asked) ?? (local ? 'offered' : 'required'));
  const auth = user === '' && password === '' ? null : { user, password };
  if (auth !== null && tls === 'offered' && !local)
    return fault('has a password, which is not sent unencrypted; leave out ?tls=offered');
  const port = url.port === '' ? PORTS[scheme] : Number(url.port);
  return { kind: 'server', server: { host, port, tls, verified: !local, auth } };
}

/** True for an address that no other machine can be behind. */
export function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function fault(rule: string): SmtpUrl {
  return { kind: 'fault', rule };
}

function tlsOf(asked: string | null): 'required' | 'offered' | null {
  return asked === 'required' || asked === 'offered' ? asked : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
