import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';

/** The private key is sealed, so it is useless without the service's secret. */
export type SealedVoucherKey = { readonly kid: string; readonly publicKey: string; readonly sealed: string };

/** These types are the storage format. */
export type VoucherKeyEvent = {
  readonly type: 'VoucherKeyCreated';
  readonly data: SealedVoucherKey & { readonly at: string };
};

export type VoucherKeyCommand = {
  readonly type: 'CreateFirstKey';
  readonly key: SealedVoucherKey;
  readonly at: string;
};

/** All voucher keys, oldest first; the last one signs. One stream for all nodes: `voucherkey-ring`. */
export type VoucherKeyRing = { readonly keys: readonly SealedVoucherKey[] };

export const VOUCHER_KEY_RING = 'ring';

export const voucherKeyDecider: Decider<VoucherKeyCommand, VoucherKeyRing, VoucherKeyEvent, never> = {
  initial: { keys: [] },
  /** Two nodes that start at once on an empty store use the same key: the second append finds the first key. */
  decide({ key, at }, { keys }) {
    return keys.length > 0 ? accept() : accept({ type: 'VoucherKeyCreated', data: { ...key, at } });
  },
  evolve({ keys }, { data: { kid, publicKey, sealed } }) {
    return { keys: [...keys, { kid, publicKey, sealed }] };
  },
};

export const voucherKeyCodec = codec<VoucherKeyEvent>('voucherkey', { VoucherKeyCreated: [] });
