import type { CityName } from '../../../src/domain/activity/cities.ts';
import { addDays, localDate } from '../../../src/domain/activity/schedule.ts';
import type { Random } from '../../chaos/kill/random.ts';
import type { Fare } from '../../support/expected-price.ts';
import type { Service } from '../../support/service.ts';
import { OFFERS } from '../sequences/offers.ts';
import type { Offer } from '../sequences/reckoning.ts';

type Deal = { readonly percent: number; readonly expiresAtMs: number };
type Terms = { readonly unitMinor: number; readonly deal: Deal | null };

const DAYS_AHEAD = 5;
const CITIES: Readonly<Record<string, CityName>> = { 'river-walk': 'Bangkok' };

/** The prices of every date, as an operator sets them, and the dates that can be booked. */
export class Market {
  readonly #service: Service;
  readonly #terms = new Map<string, Terms>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** Dates that can be booked now. */
  dates(offer: Offer): readonly string[] {
    const today = localDate(cityOf(offer), this.#service.clock.nowMs());
    const days = Array.from({ length: DAYS_AHEAD }, (_, ahead) => addDays(today, ahead));
    return days.filter((day) => this.sells(offer, day));
  }

  /** Whether new slots of a date can be booked now. */
  sells(offer: Offer, date: string): boolean {
    const nowMs = this.#service.clock.nowMs();
    return date >= localDate(cityOf(offer), nowMs) && nowMs < offer.lastEntryMs(date);
  }

  /** The present price per guest. A deal applies on the day itself until its end, rounded against the guest. */
  present(offer: Offer, date: string): Fare {
    const nowMs = this.#service.clock.nowMs();
    const { unitMinor, deal } = this.#termsOf(offer, date);
    const applies = deal !== null && nowMs < deal.expiresAtMs && localDate(cityOf(offer), nowMs) === date;
    return { unitMinor, priceMinor: unitMinor - (applies ? Math.floor((unitMinor * deal.percent) / 100) : 0) };
  }

  /** An operator changes the price of a date. */
  async reprice(offer: Offer, date: string, random: Random): Promise<void> {
    const unitMinor = random.whole(1, 3 * offer.unitMinor);
    this.#terms.set(`${offer.activity} ${date}`, { ...this.#termsOf(offer, date), unitMinor });
    await this.#set(offer, date, { price: unitMinor / 100 });
  }

  /** An operator starts a deal of today, replaces it, or ends it. */
  async deal(offer: Offer, random: Random): Promise<void> {
    const nowMs = this.#service.clock.nowMs();
    const date = localDate(cityOf(offer), nowMs);
    const leftMs = offer.lastEntryMs(date) - nowMs;
    if (leftMs <= 1_000) return;
    const ends = random.percent(30);
    const expiresAtMs = nowMs + random.whole(1_000, leftMs);
    const deal = ends ? null : { percent: random.whole(30, 50), expiresAtMs };
    this.#terms.set(`${offer.activity} ${date}`, { ...this.#termsOf(offer, date), deal });
    const sent = deal && {
      discount_percent: deal.percent,
      expires_at: new Date(deal.expiresAtMs).toISOString(),
    };
    await this.#set(offer, date, { flash_deal: sent });
  }

  #termsOf(offer: Offer, date: string): Terms {
    return this.#terms.get(`${offer.activity} ${date}`) ?? { unitMinor: offer.unitMinor, deal: null };
  }

  async #set({ activity }: Offer, date: string, change: object): Promise<void> {
    const { status } = await this.#service.put(
      `/api/activities/${activity}/allotments/${date}`,
      change,
      this.#service.admin,
    );
    if (status !== 200) throw new Error(`the operator's ${JSON.stringify(change)} of ${activity} was refused`);
  }
}

export function anyOffer(random: Random): Offer {
  return random.pick(OFFERS);
}

function cityOf({ activity }: Offer): CityName {
  return CITIES[activity] ?? 'Bali';
}
