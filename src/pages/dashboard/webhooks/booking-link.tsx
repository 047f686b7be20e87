import { Id } from '../components/values.tsx';
import type { Delivery } from './answers.ts';
import { isOperator } from './caller.ts';

/** The booking of an event. With `test` there may be none: the event can be an example. */
export function BookingLink({ of: { booking_id: id, test } }: { readonly of: Delivery }) {
  if (test === true) return <code>{id}</code>;
  return (
    <a href={`/dashboard/${isOperator() ? 'bookings' : 'my/bookings'}/${id}`}>
      <Id of={id} />
    </a>
  );
}
