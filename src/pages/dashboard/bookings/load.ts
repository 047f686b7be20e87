import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';

type OneBooking = ReturnType<Api['bookings']>;
export type Listed = DataFrom<Api['bookings']['get']>['items'][number];
export type Timeline = DataFrom<OneBooking['timeline']['get']>;
export type ErasureReport = DataFrom<OneBooking['erasure']['get']>;
export type CancellationQuote = Extract<DataFrom<OneBooking['cancel']['post']>, { readonly dry_run: true }>;
export type ModificationQuote = Extract<DataFrom<OneBooking['modify']['post']>, { readonly dry_run: true }>;

/** A booking and the version that was read: what is decided about it applies to no later one. */
export type Known = { readonly booking: DataFrom<OneBooking['get']>; readonly etag: string };

export async function loadBooking(id: string): Promise<Known> {
  const sent = api.bookings({ booking_id: id }).get();
  const booking = await read(sent);
  const { headers } = await sent;
  return { booking, etag: new Headers(headers).get('etag') ?? '' };
}

export function loadTimeline(id: string): Promise<Timeline> {
  return read(api.bookings({ booking_id: id }).timeline.get());
}
