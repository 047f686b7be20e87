import { Elysia } from 'elysia';
import { answerRequest, readRequest, type StandingRequest } from '../../application/booking/venue-request.ts';
import type { Refused } from '../../application/refusal.ts';
import { modeOf } from '../../domain/ids.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { voucherDetails } from '../../vouchers/details.ts';
import { readVenueRequest } from '../../vouchers/venue-request.ts';
import { VENUE_PAGE_HEADERS, venueProblemPage, venueRequestPage } from '../../vouchers/venue-request-page.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

const THROTTLED = { throttle: 'vouchers' } as const;
const UNKNOWN_LINK = 'This link is not valid. Please open the link in the email again, or use the newest email.';
const LATER = 'The request cannot be shown or answered now. Please try again in a few minutes.';

/** The page on which a venue answers a booking that waits for it (docs/decisions/0104). The signed link is the credential. */
export function venueRequestRoutes(context: HttpContext) {
  const publicKeys = new Map(context.signingKeys.all.map((key) => [key.kid, key.publicKey]));

  async function answered(token: string, answer: 'confirm' | 'decline' | null, cause: Cause): Promise<Response> {
    const request = readVenueRequest(token, publicKeys);
    if (request === null || modeOf(request.bookingId) !== 'live') return problem(UNKNOWN_LINK, 404);
    const reading = { ...context, store: context.webhooks.store };
    const standing =
      answer === null ? await readRequest(request, reading) : await answerRequest(request, answer, cause, reading);
    if (standing.kind === 'refused') return refusedPage(standing);
    // Relative: a proxy may serve this service below a path.
    if (answer !== null)
      return new Response(null, { status: 303, headers: { ...VENUE_PAGE_HEADERS, location: `../${token}` } });
    return new Response(presentRequest(standing, token, request.answerByMs, context), { headers: VENUE_PAGE_HEADERS });
  }

  const shared = { anybody: THROTTLED, params: schema.REQUEST_PATH, response: schema.REQUEST_PAGE_ANSWER } as const;
  return new Elysia({ name: 'venue-request', tags: ['Bookings'] })
    .use(access(context))
    .get('/venue-requests/:token', ({ params, call }) => answered(params.token, null, call.cause), {
      ...shared,
      detail: schema.REQUEST_PAGE_DETAIL,
    })
    .post('/venue-requests/:token/confirm', ({ params, call }) => answered(params.token, 'confirm', call.cause), {
      ...shared,
      detail: schema.CONFIRM_REQUEST_DETAIL,
    })
    .post('/venue-requests/:token/decline', ({ params, call }) => answered(params.token, 'decline', call.cause), {
      ...shared,
      detail: schema.DECLINE_REQUEST_DETAIL,
    });
}

function refusedPage({ refusal: { code, error } }: Refused): Response {
  if (code === 'BOOKING_NOT_FOUND') return problem(UNKNOWN_LINK, 404);
  return code === 'SERVICE_UNAVAILABLE' ? problem(LATER, 503) : problem(error, 409);
}

function problem(text: string, status: number): Response {
  return new Response(venueProblemPage(text), { status, headers: VENUE_PAGE_HEADERS });
}

function presentRequest(
  { view: { id, booking, guest }, status, decision }: StandingRequest,
  token: string,
  answerByMs: number,
  { catalogue }: HttpContext,
): string {
  const activity = catalogue.get(booking.facts.activityId)?.activity;
  const language = activity?.venue.contact?.language ?? 'en';
  return venueRequestPage({
    ...voucherDetails(booking, guest, activity),
    language,
    activityTitle: activity?.texts[language].title ?? booking.facts.activityId,
    bookingId: id,
    answerByMs,
    status,
    decision,
    // Once it is decided, the page shows no more of the guests' own words.
    specialRequests: status === 'waiting' && !booking.guestErased ? guest.specialRequests : null,
    path: token,
  });
}
