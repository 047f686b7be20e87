import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerError, type SMTPServerSession } from 'smtp-server';
import { LOCALHOST } from './localhost-certificate.ts';

/** A received mail with its recipient and connection. */
export type Arrived = {
  readonly to: string;
  readonly from: string;
  readonly encrypted: boolean;
  readonly user: string | null;
  readonly raw: string;
  readonly mail: Email;
};

/** The reply to the next recipient or mail: a code, a closed connection, or none. */
export type Reply = 250 | 450 | 451 | 550 | 554 | 'hang-up' | 'silence';

type PeerOptions = {
  readonly secure?: boolean;
  readonly disabledCommands?: readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly port?: number;
};

/** A mail server on this machine. It accepts everything until a test sets other replies. */
export class SmtpPeer implements AsyncDisposable {
  readonly arrived: Arrived[] = [];
  /** Replies to the next recipients and mails, in order; 250 after the last one. */
  readonly recipientReplies: Reply[] = [];
  readonly mailReplies: Reply[] = [];
  connections = 0;
  readonly #options: PeerOptions;
  readonly #server: SMTPServer;
  readonly #waiting = new Set<() => void>();
  /** Recipients and mails without a reply. */
  readonly #silent = new Set<() => void>();
  #silences = 0;

  private constructor(options: PeerOptions) {
    this.#options = options;
    const { user, password } = options;
    this.#server = new SMTPServer({
      ...LOCALHOST,
      authOptional: user === undefined,
      allowInsecureAuth: true,
      closeTimeout: 50,
      logger: false,
      secure: options.secure ?? false,
      disabledCommands: [...(options.disabledCommands ?? [])],
      onConnect: (_session, done) => {
        this.connections += 1;
        done();
      },
      onAuth: (auth, _session, done) => {
        const known = auth.username === user && auth.password === password;
        done(known ? null : refusal(535, `no such user ${auth.username}`), known ? { user: auth.username } : {});
      },
      onRcptTo: ({ address }, _session, done) => this.#reply(this.recipientReplies, address, done),
      onData: (stream, session, done) => {
        const reply = this.mailReplies.shift() ?? 250;
        if (reply === 'hang-up') {
          stream.once('data', () => this.hangUp());
          return;
        }
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (reply === 'silence') this.#say(done);
          else if (reply === 250) void this.#take(session, chunks, done);
          else done(refusal(reply, 'not this mail to ada@example.com'));
        });
      },
    });
    // A client that closes the connection is no fault of the server.
    this.#server.on('error', () => {});
  }

  static async listen(options: PeerOptions = {}): Promise<SmtpPeer> {
    const peer = new SmtpPeer(options);
    await new Promise<void>((resolve) => peer.#server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return peer;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    const { user, password, secure } = this.#options;
    const auth = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
    return `${secure === true ? 'smtps' : 'smtp'}://${auth}127.0.0.1:${this.port}`;
  }

  /** Resolves once `count` mails have arrived in total. */
  arrivals(count: number): Promise<readonly Arrived[]> {
    return this.#until(
      () => this.arrived.length >= count,
      () => this.arrived,
    );
  }

  /** Resolves once `count` recipients or mails got no reply. */
  silences(count: number): Promise<void> {
    return this.#until(
      () => this.#silences >= count,
      () => undefined,
    );
  }

  /** Sends the missing replies. */
  speak(): void {
    for (const answer of this.#silent) answer();
    this.#silent.clear();
  }

  hangUp(): void {
    for (const connection of this.#server.connections) connection.close();
  }

  /** Closes the port. */
  close(): Promise<void> {
    this.hangUp();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #reply(replies: Reply[], address: string, done: (fault?: SMTPServerError | null) => void): void {
    const reply = replies.shift() ?? 250;
    if (reply === 'silence') return this.#say(done);
    if (reply === 'hang-up') return this.hangUp();
    done(reply === 250 ? null : refusal(reply, `not to ${address}`));
  }

  #say(done: () => void): void {
    this.#silent.add(done);
    this.#silences += 1;
    this.#tell();
  }

  async #take(
    { envelope, secure, user }: SMTPServerSession,
    chunks: readonly Buffer[],
    done: (fault: null, message: string) => void,
  ): Promise<void> {
    const raw = Buffer.concat(chunks);
    this.arrived.push({
      to: envelope.rcptTo.map(({ address }) => address).join(),
      from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      encrypted: secure,
      user: typeof user === 'string' ? user : null,
      raw: raw.toString('latin1'),
      mail: await PostalMime.parse(raw),
    });
    done(null, `OK queued as ${String(this.arrived.length).padStart(8, '0')}`);
    this.#tell();
  }

  #until<T>(come: () => boolean, value: () => T): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!come()) return;
        this.#waiting.delete(look);
        resolve(value());
      };
      this.#waiting.add(look);
      look();
    });
  }

  #tell(): void {
    for (const look of this.#waiting) look();
  }
}

function refusal(responseCode: number, message: string): SMTPServerError {
  return Object.assign(new Error(message), { responseCode });
}
