import type { Codec } from '../eventsourcing/codec.ts';
import type { DomainEvent } from '../eventsourcing/message.ts';
import { type BookingId, modeOf } from './ids.ts';

/**
 * Streams of test bookings have separate categories: `bookingtest`, `allotmenttest`, `holdtest` and
 * `recommendationtest`. A projection or process manager reads them only if it names them, so what counts live bookings
 * cannot count test bookings by mistake (docs/decisions/0051).
 */
const SUFFIX = 'test';

/** The codec of the test streams of a category. The events are the same. */
export function testCodecOf<E extends DomainEvent>(codec: Codec<E>): Codec<E> {
  return codec.inCategory(codec.category + SUFFIX);
}

/** The categories of live and test streams. */
export function inBothModes(category: 'allotment' | 'booking'): readonly string[] {
  return [category, category + SUFFIX];
}

/** The category of the live streams that have the same events. */
export function liveCategoryOf(category: string): string {
  return category.endsWith(SUFFIX) ? category.slice(0, -SUFFIX.length) : category;
}

/** The name of a booking's stream. */
export function streamOf({ category }: Codec<DomainEvent>, id: BookingId): string {
  return `${category}${modeOf(id) === 'test' ? SUFFIX : ''}-${id}`;
}
