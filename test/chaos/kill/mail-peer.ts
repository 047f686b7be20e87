import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { type Random, seededRandom } from './random.ts';
import { pause } from './real-time.ts';
import { Temper } from './temper.ts';

/** A mail that was taken to its end. */
export type AcceptedMail = {
  readonly messageId: string;
  /** What this server calls it. */
  readonly queuedAs: string;
  /** Header and body, their folded lines joined. */
  readonly text: string;
  /** Whether the sender received the acceptance; until then only this server knows of it. */
  told: boolean;
};

/** What this mail server holds of one reader. */
export type Mailbox = {
  /** Of every copy that came whole, whether it was taken or refused. */
  readonly messageIds: ReadonlySet<string>;
  readonly accepted: readonly AcceptedMail[];
};

type Waiting = { readonly count: number; readonly resolve: () => void };
type Replied = (fault: Error | null, message?: string) => void;

const SHARES = { late: 100, refusing: 20, silent: 10 };

/** A mail server that outlives the lives of the service, remembers every copy, and is not always in the mood. */
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
      // What is encrypted here would only cost the processors that the service needs.
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
    // A service that is killed hangs up.
    this.#server.on('error', () => {});
  }

  static async listen(seed: number): Promise<MailPeer> {
    const peer = new MailPeer(seededRandom(seed));
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get url(): string {
    // Of a server that listens on a port.
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  /** By the reader's address. */
  get mailboxes(): ReadonlyMap<string, Mailbox> {
    return this.#mailboxes;
  }

  /** Copies that were taken. */
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
    // As servers do, it repeats the reader's address, which must stand in no log.
    done(Object.assign(new Error(`not now to ${to}`), { responseCode: 450 }));
  }

  async #take(to: string, text: string, lateMs: number, done: Replied): Promise<void> {
    const { messageId, mailbox } = this.#note(to, text);
    this.#accepted += 1;
    const mail = { messageId, queuedAs: `Q${String(this.#accepted).padStart(8, '0')}`, text, told: false };
    mailbox.accepted.push(mail);
    for (const waiting of this.#waiting) {
      if (this.#accepted < waiting.count) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
    if (lateMs > 0) await pause(lateMs);
    mail.told = true;
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

/** Header lines that were continued, and lines that quoted-printable broke, as one line each. */
function unfolded(raw: string): string {
  return raw.replace(/\r\n[ \t]+/g, ' ').replace(/=\r\n/g, '');
}

function headerOf(text: string, name: string): string | null {
  return new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(text)?.[1] ?? null;
}
