import type { Dashboard } from './dashboard.ts';

export type Booked = { readonly booking_id: string; readonly voucher: { readonly code: string } | null };
type Inventory = { readonly inventory: readonly { readonly activity_id: string; readonly date: string }[] };
type Key = { readonly id: string; readonly key: string };

/** Open daily, confirmed at once. */
export const AQUARIUM = 'bkk-sea-life-ticket';
/** The venue confirms. */
export const COOKING_CLASS = 'bkk-blue-elephant-cooking-class';
const DAY_MS = 86_400_000;

/** Books with a key of its own. */
export class Agent {
  readonly keyId: string;
  readonly key: string;
  readonly headers: Readonly<Record<'x-api-key', string>>;
  readonly #dashboard: Dashboard;

  private constructor({ id, key }: Key, dashboard: Dashboard) {
    this.keyId = id;
    this.key = key;
    this.headers = { 'x-api-key': key };
    this.#dashboard = dashboard;
  }

  static async of(dashboard: Dashboard, settings: object = {}): Promise<Agent> {
    const made = { name: 'An agent', plan: 'enterprise', ...settings };
    return new Agent(await dashboard.api<Key>('POST', '/api/keys', made), dashboard);
  }

  /** The first days on which an activity is open, at least ten days ahead: cancelling is free. */
  async openDays(activity: string): Promise<readonly string[]> {
    const [from, to] = [10, 24].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
    const path = `/api/b2a/inventory?activity_id=${activity}&date=${from}&date_to=${to}`;
    const { inventory } = await this.#dashboard.api<Inventory>('GET', path, undefined, this.headers);
    return inventory.map(({ date }) => date);
  }

  /** Two guests on the first open day, unless `change` says otherwise. */
  async book(change: object = {}, activity = AQUARIUM, headers: object = {}): Promise<Booked> {
    const [date] = await this.openDays(activity);
    const guest = { user_name: 'Ada Lovelace', user_email: 'ada@example.com', num_adults: 2 };
    const wish = { activity_id: activity, booking_date: date, ...guest, ...change };
    return this.#dashboard.api('POST', '/api/b2a/execute_booking', wish, { ...headers, ...this.headers });
  }

  /** Resolves when the delivery log shows a delivery of the booking with this status. */
  async logged({ booking_id: id }: Booked, status: string): Promise<void> {
    const path = `/api/webhooks/deliveries?booking_id=${id}&status=${status}`;
    for (;;) {
      const { items } = await this.#dashboard.api<{ readonly items: readonly unknown[] }>('GET', path);
      if (items.length > 0) return;
    }
  }
}
