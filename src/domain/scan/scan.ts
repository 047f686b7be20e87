import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { BookingId, Fingerprint } from '../booking/booking.ts';

/** What an Idempotency-Key of a gate device was used for. */
export type Binding = { readonly booking: BookingId; readonly fingerprint: Fingerprint };

/** This type is the storage format. */
export type ScanEvent = { readonly type: 'ScanBound'; readonly data: Binding };

export type ScanCommand = {
  readonly type: 'BindScan';
  readonly binding: Binding;
  /** An earlier binding of which it was found that it verified nothing: only such a one gives way. */
  readonly instead: Binding | null;
};

export type ScanRejection = { readonly code: 'SCAN_BOUND'; readonly binding: Binding };

/**
 * The booking that a key of a device stands for. A booking made under a key finds itself by the key; a scan names its
 * booking by the voucher, so that the same key with another voucher would otherwise not be noticed.
 */
export type Scan = { readonly binding: Binding | null };

export const scanDecider: Decider<ScanCommand, Scan, ScanEvent, ScanRejection> = {
  initial: { binding: null },
  decide({ binding, instead }, scan) {
    if (scan.binding !== null && same(scan.binding, binding)) return accept();
    if (scan.binding === null || (instead !== null && same(scan.binding, instead))) {
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
