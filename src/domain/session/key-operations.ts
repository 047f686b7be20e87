/**
 * The operations of API keys that a session of the dashboard may call, by `operationId`: the key itself, its statement, and
 * reads of its bookings and deliveries. What books, changes or refunds needs the key. A session of an operator may call
 * every operation of operators that the role may call.
 */
export const SESSION_KEY_OPERATIONS: ReadonlySet<string> = new Set([
  'own_key',
  'change_own_key',
  'rotate_webhook_secret',
  'finish_webhook_secret_rotation',
  'health',
  'statement',
  'list_bookings',
  'get_booking',
  'event_feed',
  'list_deliveries',
  'get_delivery',
  'resend_delivery',
  'recover_deliveries',
  'replay_events',
  'list_receivers',
  'enable_webhook',
  'test_webhook',
]);

/** The read models of which a session of a key's owner learns that they changed: those that the operations above read. */
export const SESSION_KEY_READ_MODELS: ReadonlySet<string> = new Set([
  'bookings',
  'deliveries',
  'endpoints',
  'feed',
  'guests',
  'keys',
  'statements',
]);
