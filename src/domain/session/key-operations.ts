import type { Permission } from '../apikey/apikey.ts';

/**
 * The operations of API keys that a session of the dashboard may call, by `operationId`, with the permission that each needs of
 * the key; null: none. They are the key itself, its statement, and reads of its bookings and deliveries. What books, changes or
 * refunds needs the key. A session of an operator may call every operation of operators that the role may call.
 */
export const SESSION_KEY_OPERATIONS: ReadonlyMap<string, Permission | null> = new Map([
  ['own_key', null],
  ['health', null],
  ['statement', 'execute_booking'],
  ['list_bookings', 'execute_booking'],
  ['get_booking', 'execute_booking'],
  ['change_own_key', 'webhook'],
  ['rotate_webhook_secret', 'webhook'],
  ['finish_webhook_secret_rotation', 'webhook'],
  ['event_feed', 'webhook'],
  ['list_deliveries', 'webhook'],
  ['get_delivery', 'webhook'],
  ['resend_delivery', 'webhook'],
  ['recover_deliveries', 'webhook'],
  ['replay_events', 'webhook'],
  ['list_receivers', 'webhook'],
  ['enable_webhook', 'webhook'],
  ['test_webhook', 'webhook'],
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
