import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '../../../src/application/refusal.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import type { Language } from '../../../src/domain/activity/vocabulary.ts';
import { dateOf } from '../../../src/http/fields.ts';
import { TODAY } from '../../support/service.ts';

export type Operation =
  | 'recommend'
  | 'inventory'
  | 'book'
  | 'hold'
  | 'modify'
  | 'cancel'
  | 'activities'
  | 'activity'
  | 'cities'
  | 'hotels'
  | 'bookings'
  | 'tool:recommend'
  | 'tool:inventory'
  | 'tool:book';

export type Members = Readonly<Record<string, unknown>>;

/**
 * A request as a language model writes it, and its expected outcome: one line of `*.jsonl`. In texts, `{+3}` is the date
 * three days after the service's present date; `{+3:dmy}` and `{+3:mdy}` write it with slashes, day or month first.
 */
export type Entry = {
  /** The language of the names and words in it. */
  readonly lang: Language;
  readonly in: Operation;
  /** Members of the plain request (see `PLAIN`) that are left out. */
  readonly drop?: readonly string[];
  /** Members that are added to the plain request or replace its own. */
  readonly send?: Members;
  /** A body that is not a JSON object, instead of `send`. */
  readonly raw?: string;
} & (Understood | Refused);

export type Understood = {
  /** What the answer must say that was understood (see `factsOf`). */
  readonly taken: Members;
  /** Members of `interpreted`, by the last part of their names: the value taken. */
  readonly read?: Members;
};

export type Refused = {
  readonly refused: ErrorCode;
  /** Values of `next` that the caller knows from its user, not from the refusal. */
  readonly knows?: readonly unknown[];
  /** The corrected request, as changes of the plain one. By default the plain request. */
  readonly next?: Members;
};

/** A correct request of each operation; entries change it. Modify and cancel are about a new booking each time. */
export const PLAIN: Readonly<Record<Operation, Members>> = {
  recommend: { user_profile: { travel_type: 'couple' }, location: { city: 'Bangkok' } },
  inventory: { city: 'Bangkok' },
  book: {
    activity_id: 'bkk-mahanakhon-skywalk',
    user_email: 'ada@example.com',
    user_name: 'Ada Lovelace',
    booking_date: '{+3}',
    num_adults: 2,
  },
  hold: { activity_id: 'bkk-mahanakhon-skywalk', booking_date: '{+3}', num_adults: 2 },
  modify: {},
  cancel: {},
  activities: { city: 'Bangkok' },
  activity: { id: 'bkk-mahanakhon-skywalk' },
  cities: {},
  hotels: { city: 'Bangkok' },
  bookings: {},
  'tool:recommend': { travel_type: 'couple', city: 'Bangkok' },
  'tool:inventory': { city: 'Bangkok' },
  'tool:book': {
    activity_id: 'bkk-mahanakhon-skywalk',
    user_email: 'ada@example.com',
    user_name: 'Ada Lovelace',
    booking_date: '{+3}',
    num_adults: 2,
  },
};

/** All entries, with dates in place of `{+3}`. */
export const ENTRIES: readonly Entry[] = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith('.jsonl'))
  .toSorted()
  .flatMap((file) =>
    readFileSync(join(import.meta.dir, file), 'utf8')
      .trimEnd()
      .split('\n'),
  )
  .map((line) => JSON.parse(withDates(line)) as Entry);

/** The plain request of an operation with changes. */
export function changed(operation: Operation, changes: Members, without: readonly string[] = []): Members {
  const plain = JSON.parse(withDates(JSON.stringify(PLAIN[operation]))) as Members;
  return { ...Object.fromEntries(Object.entries(plain).filter(([name]) => !without.includes(name))), ...changes };
}

function withDates(text: string): string {
  return text.replace(/\{([+-]\d+)(?::([dmy]{3}))?\}/g, (_, days: string, order?: string) => {
    const date = addDays(dateOf(TODAY), Number(days));
    const [year, month, day] = date.split('-');
    if (order === undefined) return date;
    return order === 'dmy' ? `${day}/${month}/${year}` : `${month}/${day}/${year}`;
  });
}
