import { type Throttles, tooMany } from '../application/key/address-throttle.ts';
import { admitKey, type KeyAdmission, type KeyDemand, outdated, type UsageAt } from '../application/key/admit-key.ts';
import {
  authenticateDevice,
  authenticateOperator,
  forbiddenOperation,
  type KnownDevice,
  type KnownKey,
  type KnownOperator,
  slowedIfUnknown,
} from '../application/key/authenticate.ts';
import type { Refused } from '../application/refusal.ts';
import type { OperatorOperation } from '../domain/operator/roles.ts';
import type { HttpContext } from './context.ts';

/**
 * Who may call a route: an API key (with a permission, or any), a venue's device, an operator whose role may call the
 * operation, or anybody. `throttle` bounds the requests of an address.
 */
export type Access =
  | ({ readonly by: 'key'; readonly repeatsPastQuota?: boolean } & KeyDemand)
  | { readonly by: 'device' }
  | { readonly by: 'operator'; readonly operation: OperatorOperation }
  | { readonly by: 'anybody'; readonly throttle?: Throttle };

export type Throttle = Extract<keyof Throttles, 'reference' | 'vouchers'>;

export type Caller = KnownKey | KnownDevice | KnownOperator | null;

type Admitted = {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly by: string;
  readonly usage: UsageAt | null;
  readonly key: KnownKey | null;
};
export type Admission = Admitted | Extract<KeyAdmission, { kind: 'refused' }>;

/**
 * Returns a promise only if it must wait for the rate limiter of a key whose plan has limits, or for a proof that this node's
 * keys or devices are current.
 */
export function admit(access: Access, request: Request, context: HttpContext): Admission | Promise<Admission> {
  switch (access.by) {
    case 'key': {
      const addressOf = (): string | null => context.addressOf(request);
      const admission = admitKey(request.headers.get('x-api-key'), access, addressOf, context);
      return admission instanceof Promise ? admission.then(byKey) : byKey(admission);
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
      const token = request.headers.get('authorization');
      const found = authenticateOperator(token, context.addressOf(request), context);
      if (found.kind === 'refused') return uncounted(found);
      const { operator } = found;
      const forbidden = forbiddenOperation(operator, access.operation);
      return forbidden === null ? admitted(operator, operator.operatorId) : uncounted(forbidden);
    }
    default:
      return admitAnybody(access.throttle, request, context);
  }
}

function admitDevice(request: Request, context: HttpContext): Admission {
  const found = authenticateDevice(request.headers.get('x-device-key'), context);
  if (found.kind === 'device') return admitted(found.device, found.device.deviceId);
  return uncounted(slowedIfUnknown(found, () => context.addressOf(request), context));
}

const SENT = { reference: 'requests for the API reference', vouchers: 'requests for vouchers' } as const;

function admitAnybody(throttle: Throttle | undefined, request: Request, context: HttpContext): Admission {
  if (throttle === undefined) return admitted(null, 'anybody');
  const address = context.addressOf(request);
  const waitMs = context.throttles[throttle].take(address, context.clock.nowMs());
  return waitMs === 0 ? admitted(null, 'anybody') : uncounted(tooMany(SENT[throttle], address, waitMs));
}

function byKey(admission: KeyAdmission): Admission {
  if (admission.kind === 'refused') return admission;
  const { key, usage } = admission;
  return { kind: 'admitted', caller: key, by: key.keyId, usage, key };
}

function admitted(caller: Admitted['caller'], by: string): Admitted {
  return { kind: 'admitted', caller, by, usage: null, key: null };
}

function uncounted({ kind, refusal: said }: Refused): Admission {
  return { kind, refusal: said, usage: null, key: null, overQuota: false };
}
