import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { BookingId, Fingerprint } from '../ids.ts';

/** The request that a gate device used an Idempotency-Key for. */
export type Binding = { readonly booking: BookingId; readonly fingerprint: Fingerprint };

/** This type is the storage format. */
export type ScanEvent = { readonly type: 'ScanBound'; readonly data: Binding };

export type ScanCommand = {
  readonly type: 'BindScan';
  readonly binding: Binding;
  /** An earlier binding that verified nothing; only such a binding is replaced. */
  readonly replaces: Binding | null;
};

export type ScanRejection = { readonly code: 'SCAN_BOUND'; readonly binding: Binding };

/**
 * The booking that a device's Idempotency-Key was used for. A scan finds its booking by the voucher, so without this
 * stream the same key with another voucher would go unnoticed.
 */
export type Scan = { readonly binding: Binding | null };

export const scanDecider: Decider<ScanCommand, Scan, ScanEvent, ScanRejection> = {
  initial: { binding: null },
  decide({ binding, replaces }, scan) {
    if (scan.binding !== null && same(scan.binding, binding)) return accept();
    if (scan.binding === null || (replaces !== null && same(scan.binding, replaces))) {
      return accept({ type: 'ScanBound', data: binding });
    }
    return reject({ code: 'SCAN_BOUND', binding: scan.binding });
  },
  evolve: (_scan, event) => ({ binding: event.data }),
};

export const scanCodec = codec<ScanEvent>('scan', { ScanBound: [] });

function same(left: Binding, right: Binding): boolean {
  return left.booking === right.booking && left.fingerprint === right.fingerprint;
}
