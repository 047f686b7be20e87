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
  list_parked: ANALYST,
  retry_parked: ADMIN,
  skip_parked: ADMIN,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type OperatorOperation = keyof typeof OPERATION_ROLES;

/** The roles that see each class of fields; for the others the field is masked, or the object left out. */
export const FIELD_ROLES = {
  /** The guest's name, mail address, requests and voucher code, and the caller's `reference` and `metadata`. */
  guest: ['admin', 'support'],
  /** The id of the key behind a recommendation; the others see a pseudonym. */
  keyOfRecommendation: ['admin', 'support'],
  /** The streams of keys, operators and sessions. */
  credentialStreams: ['admin'],
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
