/** A mail server, as SMTP_URL names it. */
export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  /** `from-the-start`: smtps; `required`: no mail without STARTTLS; `offered`: STARTTLS if the server offers it. */
  readonly tls: 'from-the-start' | 'required' | 'offered';
  /** Whether the certificate must be trusted: always, except on this machine. */
  readonly verified: boolean;
  readonly auth: { readonly user: string; readonly password: string } | null;
};

type SmtpUrl =
  | { readonly kind: 'server'; readonly server: SmtpServer }
  | { readonly kind: 'fault'; readonly rule: string };

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const RULE =
  'must be smtp://[user:password@]host[:port] or smtps://…, with at most ?tls=required or ?tls=offered behind it';

/**
 * Parses SMTP_URL. For remote servers, smtp:// requires STARTTLS unless the URL has `?tls=offered`; on this machine,
 * STARTTLS is used if offered, with any certificate, since no network is in between. The returned rule never contains
 * the URL, which may hold a password.
 */
export function readSmtpUrl(text: string): SmtpUrl {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (url === null || (scheme !== 'smtp:' && scheme !== 'smtps:')) return fault(RULE);
  const query = /^(?:\?tls=(required|offered))?$/.exec(url.search);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || !/^\/?$/.test(url.pathname) || url.hash !== '' || query === null) return fault(RULE);
  const login = loginOf(url);
  if (login === 'garbled') return fault('has a user or password that is not percent-encoded');
  const asked = query[1];
  const port = url.port === '' ? PORTS[scheme] : Number(url.port);
  const verified = !isThisMachine(host);
  if (scheme === 'smtps:') {
    if (asked !== undefined) return fault('is smtps:// and always encrypted; leave out ?tls=');
    return { kind: 'server', server: { host, port, tls: 'from-the-start', verified, auth: login } };
  }
  const tls = asked === 'offered' || (asked === undefined && !verified) ? 'offered' : 'required';
  if (login !== null && tls === 'offered' && verified)
    return fault('has a password, which is not sent unencrypted; leave out ?tls=offered');
  return { kind: 'server', server: { host, port, tls, verified, auth: login } };
}

/** Whether the address can only be this machine. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function fault(rule: string): SmtpUrl {
  return { kind: 'fault', rule };
}

function loginOf({ username, password }: URL): SmtpServer['auth'] | 'garbled' {
  if (username === '' && password === '') return null;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return 'garbled';
  }
}
