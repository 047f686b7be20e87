import type { Random } from './random.ts';

/** How a peer takes what it is sent. */
export type Mood =
  | { readonly kind: 'well' }
  /** It takes it, and says so late. */
  | { readonly kind: 'late'; readonly byMs: number }
  /** It says no. */
  | { readonly kind: 'refusing' }
  /** It breaks off without a word. */
  | { readonly kind: 'silent' };

/** How often of a thousand times. */
export type Shares = Readonly<Record<Exclude<Mood['kind'], 'well'>, number>>;

const LATE_MS = { least: 20, most: 300 };
/** Of one mail or delivery: so its pauses add up to what the last life can wait for. */
const MOST_REFUSALS = 2;

/** The moods of a peer, from the seed. */
export class Temper {
  readonly #random: Random;
  readonly #shares: Shares;
  readonly #refusals = new Map<string, number>();
  #calm = false;

  constructor(random: Random, shares: Shares) {
    this.#random = random;
    this.#shares = shares;
  }

  /** From now on everything is taken well. */
  calm(): void {
    this.#calm = true;
  }

  /** @param subject what is offered again after a refusal */
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
