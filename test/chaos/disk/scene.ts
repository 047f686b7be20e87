import { type Answer, call, wish } from '../../cluster/client.ts';
import { ready, type Service, type Settings, startProgram } from '../../support/process.ts';
import type { SmallDisk } from '../../support/small-disk.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { dateAhead, type OnSale, writeCatalogue } from '../kill/catalogue.ts';
import { pause } from '../kill/real-time.ts';
import type { BookingData, Wish } from '../kill/wire.ts';

const CLIENTS = 6;
/** Pause of a client after a 503. */
const AGAIN_MS = 50;
const KNOWN_MS = 20;

type Headers = Readonly<Record<string, string>>;

/** A service on a disk, and its clients. */
export type DiskScene = AsyncDisposable & {
  readonly settings: Settings;
  readonly service: Service;
  /** Headers of a key with limits, and of one without. */
  readonly limited: Headers;
  readonly unlimited: Headers;
  readonly load: Load;
};

export async function openScene(disk: SmallDisk): Promise<DiskScene> {
  await using opening = new AsyncDisposableStack();
  const elsewhere = opening.use(temporaryDirectory());
  const sale = writeCatalogue(elsewhere.path, Date.now());
  const settings = {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    CATALOGUE_DIR: elsewhere.path,
    MAIL_WAIT_MS: '0',
    DATA_DIR: disk.directory,
  };
  const program = opening.use(startProgram(['serve'], settings, disk.within));
  const service = await ready(program, { DATA_DIR: disk.seenOf(program) });
  const unlimited = await enterpriseKey(service);
  const opened = opening.move();
  return {
    settings,
    service,
    limited: { 'x-api-key': service.apiKey },
    unlimited,
    load: new Load(service, unlimited, sale),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Bookings by several clients, each with its own Idempotency-Key, and their outcomes. */
export class Load {
  /** By booking id. */
  readonly confirmed = new Map<string, BookingData>();
  /** Refused requests by Idempotency-Key. */
  readonly refused = new Map<string, Wish>();
  /** All answers, as status, code and Retry-After. */
  readonly answers = new Set<string>();
  readonly #service: Service;
  readonly #headers: Headers;
  readonly #sale: OnSale;
  #asked = 0;

  constructor(service: Service, headers: Headers, sale: OnSale) {
    this.#service = service;
    this.#headers = headers;
    this.#sale = sale;
  }

  book(): Promise<Answer<BookingData>> {
    const { large } = this.#sale;
    const asked = ++this.#asked;
    return this.#ask(`booking ${asked}`, wish(large[asked % large.length] ?? '', dateAhead(this.#sale, asked % 3)));
  }

  /** Repeats the refused requests. */
  async askAgain(): Promise<void> {
    for (const [key, body] of this.refused) await this.#ask(key, body);
  }

  /** All clients send requests while an action runs. */
  async during(happen: () => Promise<void>): Promise<void> {
    let over = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!over) if ((await this.book()).status === 503) await pause(AGAIN_MS);
    });
    await happen().finally(() => {
      over = true;
    });
    await Promise.all(clients);
  }

  async #ask(key: string, body: Wish): Promise<Answer<BookingData>> {
    const headers = { ...this.#headers, 'idempotency-key': key };
    const answer = await call<BookingData>(this.#service, '/api/b2a/execute_booking', { headers, body });
    this.answers.add(
      `${answer.status} ${answer.code}${answer.retryAfter === null ? '' : `, again in ${answer.retryAfter} s`}`,
    );
    if (answer.status === 200) {
      this.confirmed.set(answer.data.booking_id, answer.data);
      this.refused.delete(key);
    } else {
      this.refused.set(key, body);
    }
    return answer;
  }
}

async function enterpriseKey(service: Service): Promise<Headers> {
  const created = await call<{ key: string }>(service, '/api/keys', {
    headers: { authorization: `Bearer ${service.adminToken}` },
    body: { name: 'An agent', plan: 'enterprise' },
  });
  const headers = { 'x-api-key': created.data.key };
  while ((await call(service, '/api/health', { headers })).status !== 200) await pause(KNOWN_MS);
  return headers;
}
