import type { Random } from './random.ts';

/** How a peer reacts to a mail or delivery. */
export type Mood =
  | { readonly kind: 'well' }
  /** Accepts it, with delay. */
  | { readonly kind: 'late'; readonly byMs: number }
  /** Refuses it. */
  | { readonly kind: 'refusing' }
  /** Breaks the connection. */
  | { readonly kind: 'silent' };

/** Frequency per thousand. */
export type Shares = Readonly<Record<Exclude<Mood['kind'], 'well'>, number>>;

const LATE_MS = { least: 20, most: 300 };
/** Per mail or delivery, so that the last life can wait for the sum of its pauses. */
const MOST_REFUSALS = 2;

/** The reactions of a peer, from a seed. */
export class Temper {
  readonly #random: Random;
  readonly #shares: Shares;
  readonly #refusals = new Map<string, number>();
  #calm = false;

  constructor(random: Random, shares: Shares) {
    this.#random = random;
    this.#shares = shares;
  }

  /** From now on the peer accepts everything at once. */
  calm(): void {
    this.#calm = true;
  }

  /** @param subject identifies the mail or delivery across its attempts */
  next(subject: string): Mood {
    if (this.#calm) return { kind: 'well' };
    const { late, refusing, silent } = this.#shares;
    const drawn = this.#random.whole(1, 1_000);
    if (drawn <= late) return { kind: 'late', byMs: this.#random.whole(LATE_MS.least, LATE_MS.most) };
    const refusals = this.#refusals.get(subject) ?? 0;
    if (drawn > late + refusing + silent || refusals >= MOST_REFUSALS) return { kind: 'well' };
    this.#refusals.set(subject, refusals + 1);
    return drawn <= late + refusing ? { kind: 'refusing' } : { kind: 'silent' };
  }
}
