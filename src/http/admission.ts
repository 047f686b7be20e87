import { type Throttles, tooMany } from '../application/key/address-throttle.ts';
import { admitKey, type KeyAdmission, type KeyDemand, outdated, type UsageAt } from '../application/key/admit-key.ts';
import {
  authenticateDevice,
  authenticateOperator,
  forbiddenOperation,
  isOfSettings,
  type KnownDevice,
  type KnownKey,
  type KnownOperator,
  slowedIfUnknown,
} from '../application/key/authenticate.ts';
import { type Refused, refused } from '../application/refusal.ts';
import type { Session } from '../application/session/session.ts';
import type { OperatorOperation } from '../domain/operator/roles.ts';
import type { HttpContext } from './context.ts';

/**
 * Who may call a route: an API key (with a permission, or any), a venue's device, an operator whose role may call the
 * operation, a session of the dashboard, or anybody. A session may stand for the token of its operator, and for the key of
 * its owner where `session` says so. `throttle` bounds the requests of an address.
 */
export type Access =
  | KeyAccess
  | { readonly by: 'device' }
  | OperatorAccess
  /** With `renews: false` the request does not prolong the session. */
  | { readonly by: 'session'; readonly renews?: false }
  | { readonly by: 'anybody'; readonly throttle?: Throttle };

type KeyAccess = {
  readonly by: 'key';
  readonly repeatsPastQuota?: boolean;
  /** A session of the key's owner may call it too. */
  readonly session: boolean;
} & KeyDemand;
type OperatorAccess = { readonly by: 'operator'; readonly operation: OperatorOperation };

/** Of a route that serves keys, each its own data, and operators, the data of all keys. */
export type KeyOrOperator = {
  readonly by: 'key or operator';
  readonly key: KeyAccess;
  readonly operator: OperatorAccess;
};

export type RouteAccess = Access | KeyOrOperator;

/** The accesses that a route grants, one for each kind of caller. */
export function accessesOf(access: RouteAccess): readonly Access[] {
  return access.by === 'key or operator' ? [access.key, access.operator] : [access];
}

export type Throttle = Extract<keyof Throttles, 'reference' | 'vouchers' | 'pictures' | 'sessions'>;

export type Caller = KnownKey | KnownDevice | KnownOperator | null;

type Admitted = {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly by: string;
  readonly usage: UsageAt | null;
  readonly key: KnownKey | null;
  /** By which the caller was admitted; null: by a header, or nobody. */
  readonly session: Session | null;
};
export type Admission = Admitted | Extract<KeyAdmission, { kind: 'refused' }>;

/**
 * Returns a promise only if it must wait for the rate limiter of a key whose plan has limits, or for a proof that this node's
 * keys, devices or operators are current.
 */
export function admit(access: Access, request: Request, context: HttpContext): Admission | Promise<Admission> {
  switch (access.by) {
    case 'key': {
      const addressOf = (): string | null => context.addressOf(request);
      const admission = admitKey(request.headers.get('x-api-key'), access, addressOf, context);
      return admission instanceof Promise ? admission.then((known) => byKey(known, null)) : byKey(admission, null);
    }
    case 'device': {
      const { devices } = context.currency;
      const current = devices.current();
      const admission = admitDevice(request, context);
      if (current || admission.kind === 'refused') return admission;
      return devices
        .confirmed()
        .then((confirmed) => (confirmed ? admitDevice(request, context) : uncounted(outdated('devices'))));
    }
    case 'operator': {
      const found = operatorOf(request, context);
      const { operators } = context.currency;
      if (found.kind === 'operator' && isOfSettings(found.operator)) return admitOperator(found, access.operation);
      const current = operators.current();
      if (current || found.kind === 'refused') return admitOperator(found, access.operation);
      return operators
        .confirmed()
        .then((confirmed) =>
          confirmed ? admitOperator(operatorOf(request, context), access.operation) : uncounted(outdated('operators')),
        );
    }
    case 'session':
      return uncounted(refused('MISSING_TOKEN', 'The request has no session; sign in with POST /api/sessions.'));
    default:
      return admitAnybody(access.throttle, request, context);
  }
}

function operatorOf(request: Request, context: HttpContext): ReturnType<typeof authenticateOperator> {
  return authenticateOperator(request.headers.get('authorization'), context.addressOf(request), context);
}

function admitOperator(found: ReturnType<typeof authenticateOperator>, operation: OperatorOperation): Admission {
  if (found.kind === 'refused') return uncounted(found);
  const { operator } = found;
  const forbidden = forbiddenOperation(operator, operation);
  return forbidden === null ? admitted(operator, operator.operatorId) : uncounted(forbidden);
}

function admitDevice(request: Request, context: HttpContext): Admission {
  const found = authenticateDevice(request.headers.get('x-device-key'), context);
  if (found.kind === 'device') return admitted(found.device, found.device.deviceId);
  return uncounted(slowedIfUnknown(found, () => context.addressOf(request), context));
}

const SENT = {
  reference: 'requests for the API reference',
  vouchers: 'requests for vouchers',
  pictures: 'requests for pictures',
  sessions: 'requests to sign in',
} as const;

function admitAnybody(throttle: Throttle | undefined, request: Request, context: HttpContext): Admission {
  if (throttle === undefined) return admitted(null, 'anybody');
  const address = context.addressOf(request);
  const waitMs = context.throttles[throttle].take(address, context.clock.nowMs());
  return waitMs === 0 ? admitted(null, 'anybody') : uncounted(tooMany(SENT[throttle], address, waitMs));
}

/** A request that changes nothing. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @param session by which the key's owner was admitted; null: by the key */
export function byKey(admission: KeyAdmission, session: Session | null): Admission {
  if (admission.kind === 'refused') return admission;
  const { key, usage } = admission;
  return { kind: 'admitted', caller: key, by: key.keyId, usage, key, session };
}

/** @param session by which the operator was admitted; null: by the token */
export function byOperator(operator: KnownOperator, session: Session | null): Admission {
  return { ...admitted(operator, operator.operatorId), session };
}

function admitted(caller: Admitted['caller'], by: string): Admitted {
  return { kind: 'admitted', caller, by, usage: null, key: null, session: null };
}

export function uncounted({ kind, refusal: said }: Refused): Admission {
  return { kind, refusal: said, usage: null, key: null, overQuota: false };
}
