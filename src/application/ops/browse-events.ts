import { STREAM_CATEGORIES } from '../../domain/codecs.ts';
import type { Role } from '../../domain/operator/roles.ts';
import type { Position } from '../../eventsourcing/message.ts';
import {
  categoryOf,
  type EventStore,
  type LogDirection,
  MAX_LOG_PAGE,
  type StoredEvent,
} from '../../ports/event-store.ts';
import { type Refused, refused } from '../refusal.ts';
import { mayRead, shownEvent } from './read-stream.ts';

/** A search ends after this time and says how far it came. */
const SEARCH_MS = 1_000;

export type Search = {
  /** Null: all that the role may read. */
  readonly category: string | null;
  /** The type of an event, with or without its version; null: all. */
  readonly type: string | null;
  readonly correlationId: string | null;
  readonly direction: LogDirection;
  /** Null: from the end backwards, or from the start forwards. */
  readonly from: Position | 'end';
  readonly limit: number;
};

type EventPage = {
  readonly kind: 'page';
  readonly events: readonly StoredEvent[];
  /** Where the search goes on; null at the end of the log in that direction. */
  readonly next: Position | null;
};

type Context = {
  readonly store: Pick<EventStore, 'readLog'>;
  /** Monotonic, in ms. */
  readonly elapsedMs?: () => number;
};

/**
 * Events of the log that match, as the role sees them. Reads the log page by page: no engine has an index of types or
 * correlation ids (docs/decisions/0097).
 */
export async function browseEvents(search: Search, role: Role, context: Context): Promise<EventPage | Refused> {
  const { store, elapsedMs = () => performance.now() } = context;
  const { category, direction, limit } = search;
  const readable = readableCategories(role);
  if (category !== null && !STREAM_CATEGORIES.includes(category))
    return refused('INVALID_REQUEST', `category "${category}" is none of ${readable.join(', ')}.`);
  if (category !== null && !readable.includes(category))
    return refused('FORBIDDEN', `The role "${role}" may not read the streams of ${category}.`);
  const range = { direction, categories: category === null ? readable : [category], limit: MAX_LOG_PAGE };
  const events: StoredEvent[] = [];
  const endMs = elapsedMs() + SEARCH_MS;
  let next: Position | null = null;
  for (let from: Search['from'] | null = search.from; from !== null; from = next) {
    const page = await store.readLog({ ...range, from });
    ({ next } = page);
    for (const event of page.events) {
      if (!matches(event, search)) continue;
      events.push(shownEvent(categoryOf(event.stream), event));
      if (events.length === limit) return { kind: 'page', events, next: event.position };
    }
    if (elapsedMs() >= endMs) break;
    // The embedded log reads synchronously: requests take their turn between two pages.
    await new Promise(setImmediate);
  }
  return { kind: 'page', events, next };
}

/** The categories of streams that a role may read. */
export function readableCategories(role: Role): readonly string[] {
  return STREAM_CATEGORIES.filter((category) => mayRead(role, category));
}

function matches({ type, cause }: StoredEvent, { type: wanted, correlationId }: Search): boolean {
  if (correlationId !== null && cause.correlationId !== correlationId) return false;
  return wanted === null || type === wanted || type.replace(/\.v\d+$/, '') === wanted;
}
