import { bookingCodec } from '../../src/domain/booking/events.ts';
import { recordedInTime } from './log-of-service.ts';
import { type Credentials, type Service, TOMORROW } from './service.ts';
import type { Answer, AnswerOf } from './service-answers.ts';

export type DateCancellation = AnswerOf<'get /api/activities/:activity_id/allotments/:date/cancel'>;

const path = (activity: string, date: string) => `/api/activities/${activity}/allotments/${date}/cancel`;

type Sent = { readonly activity?: string; readonly date?: string; readonly headers?: Credentials };

/** Cancels a date of the river walk, as the admin. */
export function cancelDate(
  service: Service,
  body: object = {},
  { activity = 'river-walk', date = TOMORROW, headers = {} }: Sent = {},
): Promise<Answer<DateCancellation>> {
  return service.post(path(activity, date), body, { ...service.admin, ...headers });
}

export function cancellationOf(service: Service, { activity = 'river-walk', date = TOMORROW } = {}) {
  return service.get<DateCancellation>(path(activity, date), service.admin);
}

/** The progress once the cancellation has finished. */
export async function finishedCancellation(service: Service, of: Parameters<typeof cancellationOf>[1] = {}) {
  await recordedInTime(service, 'DateCancellationFinished');
  return (await cancellationOf(service, of)).data;
}

/** The events of a booking with their causes, without those of its mail, which come at any time. */
export async function eventsOfBooking(service: Service, id: string) {
  const stored = (await service.events()).filter(({ stream }) => stream === `booking-${id}`);
  return stored
    .filter(({ type }) => !type.startsWith('VoucherMail'))
    .map((event) => ({ ...bookingCodec.decode(event), by: event.cause.by, cause: event.cause }));
}
