import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { type Random, seededRandom } from './random.ts';
import { pause } from './real-time.ts';
import { Temper } from './temper.ts';

/** A completely received mail. */
export type AcceptedMail = {
  readonly messageId: string;
  /** Its id on this server. */
  readonly queuedAs: string;
  /** Unfolded header and body. */
  readonly text: string;
  /** Whether the sender received the acceptance; until then only this server knows of it. */
  acknowledged: boolean;
};

/** The mails of one recipient on this server. */
export type Mailbox = {
  /** Of every complete copy, accepted or refused. */
  readonly messageIds: ReadonlySet<string>;
  readonly accepted: readonly AcceptedMail[];
};

type Waiting = { readonly count: number; readonly resolve: () => void };
type Replied = (fault: Error | null, message?: string) => void;

const SHARES = { late: 100, refusing: 20, silent: 10 };

/** A mail server that survives the kills of the service, stores every copy, and sometimes refuses or breaks off. */
export class MailPeer implements AsyncDisposable {
  readonly faults: string[] = [];
  refusals = 0;
  readonly #mailboxes = new Map<string, { readonly messageIds: Set<string>; readonly accepted: AcceptedMail[] }>();
  readonly #server: SMTPServer;
  readonly #temper: Temper;
  readonly #waiting = new Set<Waiting>();
  #accepted = 0;

  private constructor(random: Random) {
    this.#temper = new Temper(random, SHARES);
    this.#server = new SMTPServer({
      authOptional: true,
      // Encryption would only take CPU time from the service.
      disabledCommands: ['STARTTLS'],
      closeTimeout: 50,
      logger: false,
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        const mood = this.#temper.next(to);
        if (mood.kind === 'silent') {
          this.refusals += 1;
          stream.once('data', () => this.#hangUp(session));
          return;
        }
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const text = unfolded(Buffer.concat(chunks).toString('latin1'));
          if (mood.kind === 'refusing') this.#refuse(to, text, done);
          else void this.#take(to, text, mood.kind === 'late' ? mood.byMs : 0, done);
        });
      },
    });
    // A killed service closes the connection.
    this.#server.on('error', () => {});
  }

  static async listen(seed: number): Promise<MailPeer> {
    const peer = new MailPeer(seededRandom(seed));
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get url(): string {
    // A listening server has a port.
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  /** By recipient. */
  get mailboxes(): ReadonlyMap<string, Mailbox> {
    return this.#mailboxes;
  }

  /** Number of accepted copies. */
  get accepted(): number {
    return this.#accepted;
  }

  calm(): void {
    this.#temper.calm();
  }

  /** Resolves when `more` mails have arrived, before the last of them is answered. */
  holding(more: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.add({ count: this.#accepted + more, resolve }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#server.connections) connection.close();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #hangUp({ id }: SMTPServerSession): void {
    for (const connection of this.#server.connections) if (connection.session.id === id) connection.close();
  }

  #refuse(to: string, text: string, done: Replied): void {
    this.#note(to, text);
    this.refusals += 1;
    // Like real servers, it repeats the recipient's address, which no log may contain.
    done(Object.assign(new Error(`not now to ${to}`), { responseCode: 450 }));
  }

  async #take(to: string, text: string, lateMs: number, done: Replied): Promise<void> {
    const { messageId, mailbox } = this.#note(to, text);
    this.#accepted += 1;
    const mail = { messageId, queuedAs: `Q${String(this.#accepted).padStart(8, '0')}`, text, acknowledged: false };
    mailbox.accepted.push(mail);
    for (const waiting of this.#waiting) {
      if (this.#accepted < waiting.count) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
    if (lateMs > 0) await pause(lateMs);
    mail.acknowledged = true;
    done(null, `OK queued as ${mail.queuedAs}`);
  }

  #note(to: string, text: string) {
    const messageId = headerOf(text, 'Message-ID') ?? '';
    const addressed = /<([^<>]+)>$/.exec(headerOf(text, 'To') ?? '')?.[1];
    if (addressed !== to) this.faults.push(`a mail to ${addressed} came for ${to}`);
    const mailbox = this.#mailboxes.get(to) ?? { messageIds: new Set(), accepted: [] };
    this.#mailboxes.set(to, mailbox);
    mailbox.messageIds.add(messageId);
    return { messageId, mailbox };
  }
}

/** Joins folded header lines and lines that quoted-printable broke. */
function unfolded(raw: string): string {
  return raw.replace(/\r\n[ \t]+/g, ' ').replace(/=\r\n/g, '');
}

function headerOf(text: string, name: string): string | null {
  return new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(text)?.[1] ?? null;
}
