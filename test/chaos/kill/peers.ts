import { type Unrecorded, unrecorded } from './audit-outbound.ts';
import type { History } from './history.ts';
import { MailPeer } from './mail-peer.ts';
import type { Outbound } from './outbound.ts';
import { WebhookPeer } from './webhook-peer.ts';

/** Under way at once at most: mails (MAIL_CONNECTIONS by default), and attempts at one receiver. */
const AT_ONCE = 8;

type CutOff = { readonly mails: number; readonly attempts: number };

export type PeerFigures = {
  /** Copies that the mail server took, and how often it refused one or hung up. */
  readonly mails: number;
  readonly mailsRefused: number;
  /** Public events that the receiver heard of, and how often it refused one. */
  readonly events: number;
  readonly eventsRefused: number;
  /** What went out and is not on record, since a kill came between: so much was sent again. */
  readonly cutOff: CutOff;
  /** The most that one kill cut off. */
  readonly cutOffAtOnce: CutOff;
};

type InLog = { readonly history: History; readonly outbound: Outbound };

/** The mail server and the receiver of webhooks that the service deals with in all its lives. */
export class Peers implements AsyncDisposable {
  readonly mail: MailPeer;
  readonly webhook: WebhookPeer;
  readonly #cutOff = { mails: 0, attempts: 0 };
  readonly #cutOffAtOnce = { mails: 0, attempts: 0 };
  #unrecorded: Unrecorded = { mails: new Map(), attempts: new Map() };

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
      cutOff: { ...this.#cutOff },
      cutOffAtOnce: { ...this.#cutOffAtOnce },
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

  /**
   * What the last life cut off, once all that it sent has been read: at each of so many interruptions of one mail or
   * delivery it is one copy, and in all no more than was under way at once.
   */
  count({ history, outbound }: InLog, life: { readonly number: number; readonly interruptions: number }): string[] {
    const { number, interruptions } = life;
    const before = this.#unrecorded;
    this.#unrecorded = unrecorded(history, outbound, this);
    return (['mails', 'attempts'] as const).flatMap((what) => {
      const cut = [...this.#unrecorded[what]]
        .map(([id, count]) => ({ id, count: count - (before[what].get(id) ?? 0) }))
        .filter(({ count }) => count !== 0);
      const sum = cut.reduce((total, { count }) => total + count, 0);
      this.#cutOff[what] += sum;
      this.#cutOffAtOnce[what] = Math.max(this.#cutOffAtOnce[what], sum);
      const once = cut.every(({ count }) => count > 0 && count <= interruptions);
      if (sum <= AT_ONCE * interruptions && once) return [];
      const each = cut.map(({ id, count }) => `${id} ${count}`).join(', ');
      return [`${sum} ${what} went out in life ${number} and are not on record: ${each}`];
    });
  }

  /** Whether the receiver has acknowledged each of these events so often; by the event's name and the booking. */
  haveAll(owed: ReadonlyMap<string, number>): boolean {
    const acknowledged = new Map<string, number>();
    for (const { event, bookingId, acknowledged: times } of this.webhook.heard.values()) {
      const key = `${event} ${bookingId}`;
      if (times > 0) acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1);
    }
    return [...owed].every(([key, count]) => (acknowledged.get(key) ?? 0) >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.mail[Symbol.asyncDispose](), this.webhook[Symbol.asyncDispose]()]);
  }
}
