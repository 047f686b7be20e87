import { type Unrecorded, unrecorded } from './audit-outbound.ts';
import type { History } from './history.ts';
import { MailPeer } from './mail-peer.ts';
import type { Outbound } from './outbound.ts';
import { WebhookPeer } from './webhook-peer.ts';

/** Maximum in flight: mails (MAIL_CONNECTIONS by default), and attempts of one receiver. */
const AT_ONCE = 8;

type CutOff = { readonly mails: number; readonly attempts: number };

export type PeerFigures = {
  /** Accepted copies, and refusals or closed connections, of the mail server. */
  readonly mails: number;
  readonly mailsRefused: number;
  /** Received public events, and refusals, of the receiver. */
  readonly events: number;
  readonly eventsRefused: number;
  /** Mails and attempts without a record because of a kill: they were repeated. */
  readonly cutOff: CutOff;
  /** The maximum that one kill interrupted. */
  readonly cutOffAtOnce: CutOff;
};

type InLog = { readonly history: History; readonly outbound: Outbound };

/** The mail server and the webhook receiver for all lives of the service. */
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

  /** Number of arrivals. */
  get arrivals(): number {
    return this.mail.accepted + this.webhook.arrivals;
  }

  /** From now on both accept everything at once. */
  calm(): void {
    this.mail.calm();
    this.webhook.calm();
  }

  /**
   * Checks what the last kill interrupted: at most one copy of a mail or delivery per interruption, and in total no more than
   * was in flight.
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

  /** Whether the receiver has acknowledged these numbers of events, by event name and booking. */
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
