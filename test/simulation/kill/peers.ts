import { type Unrecorded, unrecorded } from './audit-outbound.ts';
import { MailPeer } from './mail-peer.ts';
import type { Outbound } from './outbound.ts';
import { beforeStandstill } from './real-time.ts';
import { WebhookPeer } from './webhook-peer.ts';

/** Under way at once at most: MAIL_CONNECTIONS as it is by default, and attempts at one receiver. */
const AT_ONCE: Unrecorded = { mails: 8, attempts: 8 };

/** Nothing is under way to this very machine for so long. */
const QUIET_MS = 50;

export type PeerFigures = {
  /** Copies that the mail server took, and how often it refused one or hung up. */
  readonly mails: number;
  readonly mailsRefused: number;
  /** Public events that the receiver heard of, and how often it refused one. */
  readonly events: number;
  readonly eventsRefused: number;
  /** What went out and is not on record, since a kill came between: so much was sent again. */
  readonly cutOff: Unrecorded;
  /** The most that one kill cut off. */
  readonly cutOffAtOnce: Unrecorded;
};

/** The mail server and the receiver of webhooks that the service deals with in all its lives. */
export class Peers implements AsyncDisposable {
  readonly mail: MailPeer;
  readonly webhook: WebhookPeer;
  #cutOff: Unrecorded = { mails: 0, attempts: 0 };
  #cutOffAtOnce: Unrecorded = { mails: 0, attempts: 0 };

  private constructor(mail: MailPeer, webhook: WebhookPeer) {
    this.mail = mail;
    this.webhook = webhook;
  }

  static async open(seed: number): Promise<Peers> {
    return new Peers(await MailPeer.listen(seed + 1), new WebhookPeer(seed + 2));
  }

  get faults(): readonly string[] {
    return [...this.mail.faults, ...this.webhook.faults];
  }

  get figures(): PeerFigures {
    const { mail, webhook } = this;
    return {
      mails: mail.accepted,
      mailsRefused: mail.refusals,
      events: webhook.heard.size,
      eventsRefused: [...webhook.heard.values()].reduce((sum, { refused }) => sum + refused, 0),
      cutOff: this.#cutOff,
      cutOffAtOnce: this.#cutOffAtOnce,
    };
  }

  /** How often something came in. */
  get arrivals(): number {
    return this.mail.accepted + this.webhook.arrivals;
  }

  /** From now on both take everything well. */
  calm(): void {
    this.mail.calm();
    this.webhook.calm();
  }

  /** Resolves once what a process sent before its end has been read. */
  async quiet(): Promise<void> {
    await beforeStandstill(
      async () => false,
      () => this.arrivals,
      QUIET_MS,
    );
  }

  /** After the end of a life: what it cut off is no more than was under way at once. */
  count(outbound: Outbound, life: number): string[] {
    const [before, now] = [this.#cutOff, unrecorded(outbound, this)];
    const cut: Unrecorded = { mails: now.mails - before.mails, attempts: now.attempts - before.attempts };
    const { mails, attempts } = this.#cutOffAtOnce;
    this.#cutOff = now;
    this.#cutOffAtOnce = { mails: Math.max(mails, cut.mails), attempts: Math.max(attempts, cut.attempts) };
    return (['mails', 'attempts'] as const)
      .filter((what) => cut[what] < 0 || cut[what] > AT_ONCE[what])
      .map((what) => `${cut[what]} ${what} went out in life ${life} and are not on record`);
  }

  /** Whether the receiver has acknowledged what follows from every one of these bookings, and from the visits among them. */
  haveAll(bookings: ReadonlySet<string>, visited: ReadonlySet<string>): boolean {
    const acknowledged = new Set<string>();
    for (const heard of this.webhook.heard.values())
      if (heard.acknowledged > 0) acknowledged.add(`${heard.event} ${heard.bookingId}`);
    return [...bookings].every((id) => {
      const owed = ['booking_confirmed', 'voucher_delivered', ...(visited.has(id) ? ['qr_verified'] : [])];
      return owed.every((event) => acknowledged.has(`${event} ${id}`));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.mail[Symbol.asyncDispose](), this.webhook[Symbol.asyncDispose]()]);
  }
}
