import { Elysia } from 'elysia';
import { refusal } from '../application/refusal.ts';
import type { HttpContext, SendFor } from './context.ts';
import { internalError, requestIdOf } from './endpoint.ts';
import { failure } from './envelope.ts';
import { activityById, deleteActivity, putActivity } from './routes/activities.ts';
import { allotmentOfDate, setAllotmentOfDate } from './routes/allotments.ts';
import { conversions, visits } from './routes/analytics.ts';
import { bookingById, executeBooking, listOwnBookings } from './routes/bookings.ts';
import { cancelOwnBooking } from './routes/cancel-booking.ts';
import { hold, holdById, releaseHold } from './routes/holds.ts';
import { inventory } from './routes/inventory.ts';
import { activateKey, changeKey, createKey, deactivateKey, keyById, listKeys, rotateKey } from './routes/keys.ts';
import { modify } from './routes/modify-booking.ts';
import { livez, projections, readyz, rebuild, stream } from './routes/operations.ts';
import {
  confirmRequested,
  eraseGuestOf,
  listAllBookings,
  operatorBookingById,
  operatorCancel,
  rejectRequested,
} from './routes/operator-bookings.ts';
import { changeOwnKey, finishWebhookSecretRotation, health, ownKey, rotateWebhookSecret } from './routes/own-key.ts';
import { eventFeed, replay } from './routes/past-events.ts';
import { recommendations } from './routes/recommend.ts';
import { docs, docsFile, llms, openApi, referenceOf } from './routes/reference.ts';
import { recover, resend } from './routes/resend.ts';
import { statement } from './routes/statement.ts';
import { refreshInventory, supplyStatus } from './routes/supply.ts';
import { enable } from './routes/suspension.ts';
import { toolMessages } from './routes/tools.ts';
import { createDevice, deleteDevice, venueDevices, verify } from './routes/venues.ts';
import { voucherKeys, voucherPageRoute, voucherPng, voucherSvg } from './routes/vouchers.ts';
import { deliveryById, listOwnDeliveries, testWebhook } from './routes/webhooks.ts';

/** Every route of the service. Bodies are read by the endpoints themselves, after it is known who calls. */
export function createApp(outside: HttpContext) {
  const inside = new WeakMap<Request, string | null>();
  const addressOf = (request: Request): string | null => inside.get(request) ?? outside.addressOf(request);
  const context = { ...outside, addressOf };
  const raw = { parse: 'none' } as const;
  // Otherwise the path is looked for where it begins behind names of four letters and more: `http://api/livez` has none.
  const app = new Elysia({ handler: { standardHostname: false } })
    .post('/api/b2a/recommend', recommendations(context), raw)
    .post('/api/b2a/execute_booking', executeBooking(context), raw)
    .get('/api/b2a/bookings', listOwnBookings(context))
    .get('/api/b2a/bookings/:booking_id', bookingById(context))
    .post('/api/b2a/holds', hold(context), raw)
    .get('/api/b2a/holds/:hold_id', holdById(context))
    .delete('/api/b2a/holds/:hold_id', releaseHold(context))
    .post('/api/b2a/bookings/:booking_id/modify', modify(context), raw)
    .post('/api/b2a/bookings/:booking_id/cancel', cancelOwnBooking(context), raw)
    .get('/api/b2a/inventory', inventory(context))
    .post('/api/b2a/inventory/refresh', refreshInventory(context), raw)
    .get('/api/activities/:activity_id', activityById(context))
    .put('/api/activities/:activity_id', putActivity(context), raw)
    .delete('/api/activities/:activity_id', deleteActivity(context))
    .get('/api/activities/:activity_id/allotments/:date', allotmentOfDate(context))
    .put('/api/activities/:activity_id/allotments/:date', setAllotmentOfDate(context), raw)
    .get('/api/bookings', listAllBookings(context))
    .get('/api/bookings/:booking_id', operatorBookingById(context))
    .post('/api/bookings/:booking_id/confirm', confirmRequested(context), raw)
    .post('/api/bookings/:booking_id/reject', rejectRequested(context), raw)
    .post('/api/bookings/:booking_id/cancel', operatorCancel(context), raw)
    .post('/api/bookings/:booking_id/erase', eraseGuestOf(context), raw)
    .post('/api/webhooks/test', testWebhook(context), raw)
    .get('/api/webhooks/deliveries', listOwnDeliveries(context))
    .get('/api/webhooks/deliveries/:id', deliveryById(context))
    .post('/api/webhooks/deliveries/:id/resend', resend(context), raw)
    .post('/api/webhooks/recover', recover(context), raw)
    .post('/api/webhooks/replay', replay(context), raw)
    .post('/api/webhooks/enable', enable(context), raw)
    .get('/api/b2a/events', eventFeed(context))
    .get('/api/vouchers/:code', voucherPageRoute(context))
    .get('/api/vouchers/:code/qr.png', voucherPng(context))
    .get('/api/vouchers/:code/qr.svg', voucherSvg(context))
    .post('/api/venue/verify', verify(context), raw)
    .get('/api/venues/:venue_id/devices', venueDevices(context))
    .post('/api/venues/:venue_id/devices', createDevice(context), raw)
    .delete('/api/venues/:venue_id/devices/:device_id', deleteDevice(context))
    .get('/api/keys/self', ownKey(context))
    .get('/api/keys/self/statement', statement(context))
    .patch('/api/keys/self', changeOwnKey(context), raw)
    .post('/api/keys/self/webhook_secret/rotate', rotateWebhookSecret(context), raw)
    .post('/api/keys/self/webhook_secret/rotate/finish', finishWebhookSecretRotation(context), raw)
    .get('/api/keys', listKeys(context))
    .post('/api/keys', createKey(context), raw)
    .get('/api/keys/:id', keyById(context))
    .patch('/api/keys/:id', changeKey(context), raw)
    .post('/api/keys/:id/deactivate', deactivateKey(context), raw)
    .post('/api/keys/:id/activate', activateKey(context), raw)
    .post('/api/keys/:id/rotate', rotateKey(context), raw)
    .get('/api/health', health(context))
    .get('/api/analytics/conversions', conversions(context))
    .get('/api/analytics/visits', visits(context))
    .get('/api/ops/projections', projections(context))
    .get('/api/ops/streams/:stream', stream(context))
    .post('/api/ops/projections/:name/rebuild', rebuild(context), raw)
    .get('/api/ops/supply', supplyStatus(context))
    .get('/livez', livez(context))
    .get('/readyz', readyz(context))
    .get('/.well-known/waymark-voucher-keys.json', voucherKeys(context));
  // The calls of the tool server take the way of every request: through this router.
  const here: SendFor = (path, init, address) => {
    const request = new Request(`http://localhost${path}`, init);
    inside.set(request, address);
    return app.handle(request);
  };
  app.post('/mcp', toolMessages(context, here), raw);
  const reference = referenceOf(() => app.routes, context);
  app
    .get('/openapi.json', openApi(context, reference))
    .get('/docs', docs(context))
    .get('/docs/:file', docsFile(context))
    .get('/llms.txt', llms(context, reference));
  const methods = methodsByPath(app.routes);
  return app.onError(({ code, error, request }) => {
    const requestId = requestIdOf(request, context);
    const headers = { 'x-request-id': requestId };
    if (code !== 'NOT_FOUND') {
      context.log.error('router failed', { requestId, fault: error });
      return failure(internalError(requestId), headers, request);
    }
    const { pathname } = new URL(request.url);
    const allowed = methods(pathname);
    if (allowed.length === 0) {
      return failure(
        refusal('NOT_FOUND', `There is nothing at ${pathname.slice(0, 200)}; check the path.`),
        headers,
        request,
      );
    }
    const message = `${request.method} is not possible at ${pathname.slice(0, 200)}; use ${allowed.join(' or ')}.`;
    return failure(refusal('METHOD_NOT_ALLOWED', message), { ...headers, allow: allowed.join(', ') }, request);
  });
}

export type App = ReturnType<typeof createApp>;

/** The methods that a path takes; none where there is no such path. */
function methodsByPath(
  routes: readonly { readonly method: string; readonly path: string }[],
): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => {
    const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    return { method, pattern: new RegExp(`^${pattern}/?$`) };
  });
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
