import { guestsProjection } from '../../projections/guests/projection.ts';
import { searchGuests } from '../../projections/guests/query.ts';
import { openReadModelStore } from '../../src/adapters/sqlite/read-model-store.ts';
import { guestSearch, termsOf } from '../../src/domain/guest/search.ts';
import { servingCollection } from '../../src/runtime/builds.ts';
import { bookingId, fingerprint } from '../support/examples.ts';
import { positionAt } from '../support/recorded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/**
 * `bun test/bench/guest-search.ts [GUESTS]` prints the time of searches among so many guests (default 100,000) in the
 * embedded read models, in ms of CPU (median of 30 pages of 20), and the CPU time to write one record with and without its terms.
 */
const GUESTS = Number(process.argv[2] ?? 100_000);
const BATCH = 500;
const SURNAMES = ['Nguyễn', 'Trần', 'Lê', 'Phạm', 'Hoàng', 'Tan', 'Wong', 'Suzuki', 'Smith', 'Kim'];

const SYLLABLES = ['an', 'be', 'cho', 'du', 'ka', 'linh', 'mai', 'ngo', 'phu', 'thu'];

function givenName(n: number): string {
  return [n / 100, n / 10, n].map((digit) => SYLLABLES[Math.floor(digit) % 10]).join('');
}

function guest(n: number) {
  // Three in ten are called Nguyễn; one in 1,000 has each given name, of three syllables.
  const surname = n % 10 < 3 ? SURNAMES[0] : SURNAMES[n % SURNAMES.length];
  const name = `${surname} ${['Văn', 'Thị', 'Minh'][n % 3]} ${givenName(n % 1_000)}`;
  const details = { name, email: `guest.${n}@example.com`, specialRequests: null, reference: null, metadata: {} };
  const recordedAt = new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1_000).toISOString();
  return {
    ...details,
    fingerprint: fingerprint('FP'),
    bookingId: bookingId(`bk_${String(n).padStart(20, '0')}`),
    recordedAt,
  };
}

async function filled(withTerms: boolean) {
  const directory = temporaryDirectory();
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const collection = await servingCollection(guestsProjection, readModels);
  const started = process.cpuUsage();
  for (let from = 0; from < GUESTS; from += BATCH) {
    const writes = Array.from({ length: BATCH }, (_, n) => {
      const doc = { ...guest(from + n), terms: withTerms ? termsOf(guest(from + n)) : [] };
      return {
        id: `${doc.bookingId}.${Bun.hash(doc.email).toString(32).padEnd(16, '0')}`,
        doc,
        position: positionAt(1),
        loaded: null,
      };
    });
    await readModels.commit(collection, writes, positionAt(1));
  }
  const { user, system } = process.cpuUsage(started);
  const microseconds = (user + system) / GUESTS;
  return { readModels, collection, microseconds, close: () => readModels.close().then(() => directory.remove()) };
}

const bare = await filled(false);
await bare.close();
const { readModels, collection, microseconds, close } = await filled(true);
console.log(
  `${GUESTS} guests; a record without terms ${bare.microseconds.toFixed(1)} µs, with ${microseconds.toFixed(1)} µs`,
);
for (const text of ['nguyen', 'nguyen mai', 'maimaimai', 'guest.99999@example.com', 'nobody']) {
  const search = guestSearch(text);
  if (search === null) throw new Error(`"${text}" is too short`);
  const times: number[] = [];
  let items = 0;
  for (let round = 0; round < 30; round++) {
    const started = process.cpuUsage();
    const page = await searchGuests(readModels, collection, {
      search,
      select: async (records) => records.map(({ id }) => id),
      limit: 20,
      after: null,
    });
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1_000);
    items = page.items.length;
  }
  console.log(`${text}: ${items} of a page of 20, ${times.sort((a, b) => a - b)[15]?.toFixed(2)} ms`);
}
await close();
