import { createTransport, type NodemailerError } from 'nodemailer';
import type { Mail, Mailer, MailOutcome } from '../../ports/mailer.ts';
import { composed } from './compose.ts';
import type { SmtpServer } from './server.ts';

type SmtpOptions = {
  readonly server: SmtpServer;
  /** Trusted CA certificates (PEM); null: the system's. */
  readonly ca: string | null;
  /** Maximum number of connections; they stay open between mails. */
  readonly connections: number;
  /** Deadline of one attempt, from requesting a connection to the server's last reply. */
  readonly attemptMs: number;
};

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
/** If the server has closed an idle connection unnoticed, the mail is sent again over another one. */
const OTHER_CONNECTIONS = 2;
/** Below the limit of common relays, so that the server rarely closes the connection. */
const IDLE_MS = 8_000;
/** How long `close` waits for running mails. */
const LAST_MS = 2_000;

/** The port Mailer on an SMTP server. */
export function smtpMailer({ server, ca, connections, attemptMs }: SmtpOptions): Mailer {
  const { host, port, tls, auth, verified } = server;
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: tls === 'from-the-start',
    requireTLS: tls === 'required',
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: verified || ca !== null, ...(ca !== null && { ca }) },
    ...(auth !== null && { auth: { user: auth.user, pass: auth.password } }),
    maxConnections: connections,
    maxRequeues: OTHER_CONNECTIONS,
    idleTimeout: IDLE_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  const closing = new AbortController();
  const underWay = new Set<Promise<MailOutcome>>();
  const attempt = async (mail: Mail): Promise<MailOutcome> => {
    const signal = AbortSignal.any([AbortSignal.timeout(attemptMs), closing.signal]);
    try {
      const { response } = await transport.sendMail({ ...composed(mail), signal });
      return { kind: 'accepted', providerId: providerIdOf(response) };
    } catch (fault) {
      return failureOf(fault);
    }
  };
  return {
    async send(mail) {
      const outcome = attempt(mail);
      underWay.add(outcome);
      try {
        return await outcome;
      } finally {
        underWay.delete(outcome);
      }
    },
    async close() {
      const last = setTimeout(() => closing.abort(), LAST_MS);
      await Promise.all(underWay);
      clearTimeout(last);
      closing.abort();
      transport.close({ force: true });
    },
  };
}

/** The server's id for the mail in its last reply, in the known formats; null if there is none. */
export function providerIdOf(response: string): string | null {
  const [line = ''] = response.split('\n');
  const named = /\bqueued as ([\x21-\x7e]{1,200})/i.exec(line) ?? /\bid=([\x21-\x7e]{1,200})/i.exec(line);
  const bare = /^250[ -](?:2\.\d+\.\d+ )?ok:? ([\x21-\x7e]{6,200})/i.exec(line);
  return (named ?? bare)?.[1] ?? null;
}

/**
 * Classifies a fault. Permanent are only a 5xx to the recipient (RCPT TO) or the mail (DATA), and an address that SMTP
 * cannot carry: the operator can fix a refused login or sender, and the mail is then sent. Omits the server's text,
 * which often repeats the recipient's address.
 */
function failureOf(fault: unknown): MailOutcome {
  // nodemailer's type for everything that it throws; all its fields are optional.
  const { code, command, responseCode, response, permanent, originalCode, timeoutType } = fault as NodemailerError;
  if (responseCode !== undefined) {
    const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
    const words = [command ?? 'connect', responseCode, ...(enhanced === undefined ? [] : [enhanced])];
    const ofThisMail = command === 'RCPT TO' || command === 'DATA';
    return { kind: 'failed', reason: words.join(' '), permanent: ofThisMail && permanent === true };
  }
  const unusable = code === 'EENVELOPE' && command === 'API';
  return { kind: 'failed', reason: timeoutType ?? originalCode ?? code ?? 'unknown', permanent: unusable };
}
