export const ROLES = ['admin', 'support', 'analyst', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERY_ROLE = ROLES;
const ADMIN = ['admin'] as const;
const SUPPORT = ['admin', 'support'] as const;
/** Reads bookings, deliveries, venues and the catalogue. */
const SUPPORT_READS = ['admin', 'support', 'viewer'] as const;
const ANALYST = ['admin', 'analyst'] as const;

/** `act`: a request that may change something. `guest read`: its answer shows data of guests to roles that see it. */
export type Audited = 'act' | 'guest read';

type Rule = { readonly roles: readonly Role[]; readonly audited: Audited | null };

/**
 * The roles that may call each operation of operators, by `operationId`, and how it is audited. A route with the macro
 * `operator` or `keyOrOperator` and without a row stops the start, and so does a row without a route, or one that is no GET
 * and no act (COMPUTING excepted).
 */
export const OPERATIONS = {
  list_all_bookings: guestRead(SUPPORT_READS),
  get_any_booking: guestRead(SUPPORT_READS),
  confirm_booking: act(SUPPORT),
  reject_booking: act(SUPPORT),
  cancel_any_booking: act(SUPPORT),
  modify_any_booking: act(SUPPORT),
  mail_voucher: act(SUPPORT),
  booking_timeline: read(SUPPORT_READS),
  erase_guest: act(SUPPORT),
  get_erasure: read(SUPPORT_READS),
  export_guest: guestRead(SUPPORT),
  list_holds: read(SUPPORT_READS),
  release_any_hold: act(SUPPORT),
  list_deliveries: read(SUPPORT_READS),
  get_delivery: guestRead(SUPPORT_READS),
  resend_delivery: act(SUPPORT),
  recover_deliveries: act(SUPPORT),
  replay_events: act(SUPPORT),
  list_receivers: read(SUPPORT_READS),
  enable_webhook: act(SUPPORT),
  test_webhook: act(SUPPORT),
  list_devices: read(SUPPORT_READS),
  create_device: act(SUPPORT),
  delete_device: act(SUPPORT),
  pause_device: act(SUPPORT),
  resume_device: act(SUPPORT),
  list_device_days: read(SUPPORT_READS),
  list_voided_visits: read(SUPPORT_READS),
  void_visits: act(SUPPORT),
  get_activity: read(EVERY_ROLE),
  put_activity: act(SUPPORT),
  withdraw_activity: act(SUPPORT),
  get_allotment: read(EVERY_ROLE),
  set_allotment: act(SUPPORT),
  cancel_date: act(SUPPORT),
  get_date_cancellation: read(SUPPORT_READS),
  set_allotments: act(SUPPORT),
  calendar: read(EVERY_ROLE),
  supply_status: read(EVERY_ROLE),
  list_keys: read(ADMIN),
  get_key: read(ADMIN),
  create_key: act(ADMIN),
  change_key: act(ADMIN),
  activate_key: act(ADMIN),
  deactivate_key: act(ADMIN),
  rotate_key: act(ADMIN),
  rotate_key_webhook_secret: act(ADMIN),
  finish_key_webhook_secret_rotation: act(ADMIN),
  list_operators: read(ADMIN),
  create_operator: act(ADMIN),
  change_operator: act(ADMIN),
  rotate_operator: act(ADMIN),
  revoke_operator: act(ADMIN),
  conversions: read(ANALYST),
  visits: read(ANALYST),
  revenue: read(ANALYST),
  evaluate_model: read(ANALYST),
  list_experiments: read(ANALYST),
  get_experiment: read(ANALYST),
  start_experiment: act(ADMIN),
  end_experiment: act(ADMIN),
  list_exclusions: read(ADMIN),
  exclude_from_learning: act(ADMIN),
  explain_recommendation: read(EVERY_ROLE),
  list_projections: read(EVERY_ROLE),
  list_readers: read(EVERY_ROLE),
  list_leases: read(EVERY_ROLE),
  rebuild_projection: act(ADMIN),
  read_stream: read(SUPPORT_READS),
  list_stream_categories: read(SUPPORT_READS),
  browse_events: read(SUPPORT_READS),
  list_audit: read(ADMIN),
  list_parked: read(ANALYST),
  retry_parked: act(ADMIN),
  skip_parked: act(ADMIN),
} satisfies Readonly<Record<string, Rule>>;

export type OperatorOperation = keyof typeof OPERATIONS;

/** Operations with a body that change nothing. */
export const COMPUTING: ReadonlySet<string> = new Set<OperatorOperation>(['evaluate_model']);

function read(roles: readonly Role[]): Rule {
  return { roles, audited: null };
}

function guestRead(roles: readonly Role[]): Rule {
  return { roles, audited: 'guest read' };
}

function act(roles: readonly Role[]): Rule {
  return { roles, audited: 'act' };
}

/** Operations of gate devices that list guests. Scans are facts of the bookings. */
const DEVICE_AUDIT: Readonly<Record<string, Audited>> = { list_arrivals: 'guest read' };

/** The names of all audited operations. */
export const AUDITED_OPERATIONS: readonly string[] = [
  ...Object.entries(OPERATIONS).flatMap(([operation, { audited }]) => (audited === null ? [] : [operation])),
  ...Object.keys(DEVICE_AUDIT),
].toSorted();

/** The roles that see each class of fields; for the others the field is masked, or the object left out. */
export const FIELD_ROLES = {
  /**
   * The guest's name, mail address, requests and voucher code, the caller's `reference` and `metadata`, and the path of a
   * receiver's URL, which may hold a secret.
   */
  guest: ['admin', 'support'],
  /** The id of the key behind a recommendation, as bookings show it; the others see a pseudonym. */
  keyOfRecommendation: ['admin', 'support', 'viewer'],
  /** The streams of keys, operators and sessions. */
  credentialStreams: ['admin'],
  /** The mail address of a venue's contact. */
  venueContact: SUPPORT,
  /** The streams of the audit. */
  auditStreams: ['admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** What a role reads in the place of a text that it does not see. */
export const MASK = '[hidden]';

export type FieldClass = keyof typeof FIELD_ROLES;

export function isOperatorOperation(operationId: string): operationId is OperatorOperation {
  return Object.hasOwn(OPERATIONS, operationId);
}

export function mayCall(role: Role, operation: OperatorOperation): boolean {
  return OPERATIONS[operation].roles.includes(role);
}

export function sees(role: Role, fields: FieldClass): boolean {
  const roles: readonly Role[] = FIELD_ROLES[fields];
  return roles.includes(role);
}

/** How a call by an operator of a role is audited; null: not. A role that sees no data of guests reads none. */
export function auditOf(operation: string, role: Role): Audited | null {
  const audited = isOperatorOperation(operation) ? OPERATIONS[operation].audited : null;
  return audited === 'guest read' && !sees(role, 'guest') ? null : audited;
}

export function auditOfDevices(operation: string): Audited | null {
  return DEVICE_AUDIT[operation] ?? null;
}
