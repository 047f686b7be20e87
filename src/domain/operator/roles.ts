export const ROLES = ['admin', 'support', 'analyst', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERY_ROLE = ROLES;
const ADMIN = ['admin'] as const;
const SUPPORT = ['admin', 'support'] as const;
/** Reads bookings, deliveries, venues and the catalogue. */
const SUPPORT_READS = ['admin', 'support', 'viewer'] as const;
const ANALYST = ['admin', 'analyst'] as const;

/**
 * The roles that may call each operation of operators, by `operationId`. A route with the macro `operator` and without a
 * row stops the start, and so does a row without a route.
 */
export const OPERATION_ROLES = {
  list_all_bookings: SUPPORT_READS,
  get_any_booking: SUPPORT_READS,
  confirm_booking: SUPPORT,
  reject_booking: SUPPORT,
  cancel_any_booking: SUPPORT,
  erase_guest: SUPPORT,
  get_erasure: SUPPORT_READS,
  export_guest: SUPPORT,
  list_holds: SUPPORT_READS,
  release_any_hold: SUPPORT,
  list_devices: SUPPORT_READS,
  create_device: SUPPORT,
  delete_device: SUPPORT,
  pause_device: SUPPORT,
  resume_device: SUPPORT,
  list_device_days: SUPPORT_READS,
  list_voided_visits: SUPPORT_READS,
  void_visits: SUPPORT,
  get_activity: EVERY_ROLE,
  put_activity: SUPPORT,
  withdraw_activity: SUPPORT,
  get_allotment: EVERY_ROLE,
  set_allotment: SUPPORT,
  supply_status: EVERY_ROLE,
  list_keys: ADMIN,
  get_key: ADMIN,
  create_key: ADMIN,
  change_key: ADMIN,
  activate_key: ADMIN,
  deactivate_key: ADMIN,
  rotate_key: ADMIN,
  list_operators: ADMIN,
  create_operator: ADMIN,
  change_operator: ADMIN,
  rotate_operator: ADMIN,
  revoke_operator: ADMIN,
  conversions: ANALYST,
  visits: ANALYST,
  evaluate_model: ANALYST,
  list_experiments: ANALYST,
  get_experiment: ANALYST,
  start_experiment: ADMIN,
  end_experiment: ADMIN,
  list_exclusions: ADMIN,
  exclude_from_learning: ADMIN,
  explain_recommendation: ['admin', 'support', 'analyst'],
  list_projections: EVERY_ROLE,
  rebuild_projection: ADMIN,
  read_stream: SUPPORT_READS,
  list_audit: ADMIN,
  list_parked: ANALYST,
  retry_parked: ADMIN,
  skip_parked: ADMIN,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type OperatorOperation = keyof typeof OPERATION_ROLES;

/** `act`: a request that may change something. `guest read`: its answer shows data of guests to roles that see it. */
export type Audited = 'act' | 'guest read';

/**
 * How each operation of operators is audited; null: not. The compiler demands a row for each operation. Every operation
 * that is no GET is an act, which the start checks.
 */
export const OPERATION_AUDIT = {
  list_all_bookings: 'guest read',
  get_any_booking: 'guest read',
  confirm_booking: 'act',
  reject_booking: 'act',
  cancel_any_booking: 'act',
  erase_guest: 'act',
  get_erasure: null,
  export_guest: 'guest read',
  list_holds: null,
  release_any_hold: 'act',
  list_devices: null,
  create_device: 'act',
  delete_device: 'act',
  pause_device: 'act',
  resume_device: 'act',
  list_device_days: null,
  list_voided_visits: null,
  void_visits: 'act',
  get_activity: null,
  put_activity: 'act',
  withdraw_activity: 'act',
  get_allotment: null,
  set_allotment: 'act',
  supply_status: null,
  list_keys: null,
  get_key: null,
  create_key: 'act',
  change_key: 'act',
  activate_key: 'act',
  deactivate_key: 'act',
  rotate_key: 'act',
  list_operators: null,
  create_operator: 'act',
  change_operator: 'act',
  rotate_operator: 'act',
  revoke_operator: 'act',
  conversions: null,
  visits: null,
  evaluate_model: 'act',
  list_experiments: null,
  get_experiment: null,
  start_experiment: 'act',
  end_experiment: 'act',
  list_exclusions: null,
  exclude_from_learning: 'act',
  explain_recommendation: null,
  list_projections: null,
  rebuild_projection: 'act',
  read_stream: null,
  list_audit: null,
  list_parked: null,
  retry_parked: 'act',
  skip_parked: 'act',
} as const satisfies Readonly<Record<OperatorOperation, Audited | null>>;

/** Operations of gate devices that list guests. Scans are facts of the bookings. */
const DEVICE_AUDIT: Readonly<Record<string, Audited>> = { list_arrivals: 'guest read' };

/** The names of all audited operations. */
export const AUDITED_OPERATIONS: readonly string[] = [
  ...Object.entries(OPERATION_AUDIT).flatMap(([operation, audited]) => (audited === null ? [] : [operation])),
  ...Object.keys(DEVICE_AUDIT),
].toSorted();

/** The roles that see each class of fields; for the others the field is masked, or the object left out. */
export const FIELD_ROLES = {
  /** The guest's name, mail address, requests and voucher code, and the caller's `reference` and `metadata`. */
  guest: ['admin', 'support'],
  /** The id of the key behind a recommendation; the others see a pseudonym. */
  keyOfRecommendation: ['admin', 'support'],
  /** The streams of keys, operators and sessions. */
  credentialStreams: ['admin'],
  /** The streams of the audit. */
  auditStreams: ['admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

/** What a role reads in the place of a text that it does not see. */
export const MASK = '[hidden]';

export type FieldClass = keyof typeof FIELD_ROLES;

export function isOperatorOperation(operationId: string): operationId is OperatorOperation {
  return Object.hasOwn(OPERATION_ROLES, operationId);
}

export function mayCall(role: Role, operation: OperatorOperation): boolean {
  const roles: readonly Role[] = OPERATION_ROLES[operation];
  return roles.includes(role);
}

export function sees(role: Role, fields: FieldClass): boolean {
  const roles: readonly Role[] = FIELD_ROLES[fields];
  return roles.includes(role);
}

/** How a call by an operator of a role is audited; null: not. A role that sees no data of guests reads none. */
export function auditOf(operation: string, role: Role): Audited | null {
  const audited = isOperatorOperation(operation) ? OPERATION_AUDIT[operation] : null;
  return audited === 'guest read' && !sees(role, 'guest') ? null : audited;
}

export function auditOfDevices(operation: string): Audited | null {
  return DEVICE_AUDIT[operation] ?? null;
}
