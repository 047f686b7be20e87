import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';

/** The private key is sealed, so it is useless without the service's secret. */
export type SealedVoucherKey = { readonly kid: string; readonly publicKey: string; readonly sealed: string };

/** These types are the storage format. */
export type VoucherKeyEvent =
  | { readonly type: 'VoucherKeyCreated'; readonly data: SealedVoucherKey & { readonly at: string } }
  /** The same key, sealed with another secret key. */
  | {
      readonly type: 'VoucherKeyResealed';
      readonly data: Pick<SealedVoucherKey, 'kid' | 'sealed'> & { readonly at: string };
    };

export type VoucherKeyCommand =
  | { readonly type: 'CreateFirstKey'; readonly key: SealedVoucherKey; readonly at: string }
  /** `from` is the sealed text that `sealed` replaces. */
  | {
      readonly type: 'ResealVoucherKey';
      readonly kid: string;
      readonly from: string;
      readonly sealed: string;
      readonly at: string;
    };

/** All voucher keys, oldest first; the last one signs. One stream for all nodes: `voucherkey-ring`. */
export type VoucherKeyRing = { readonly keys: readonly SealedVoucherKey[] };

export const VOUCHER_KEY_RING = 'ring';

export const voucherKeyDecider: Decider<VoucherKeyCommand, VoucherKeyRing, VoucherKeyEvent, never> = {
  initial: { keys: [] },
  decide(command, { keys }) {
    const { at } = command;
    switch (command.type) {
      // Two nodes that start at once on an empty store use the same key: the second append finds the first key.
      case 'CreateFirstKey':
        return keys.length > 0 ? accept() : accept({ type: 'VoucherKeyCreated', data: { ...command.key, at } });
      case 'ResealVoucherKey': {
        const { kid, from, sealed } = command;
        const present = keys.some((key) => key.kid === kid && key.sealed === from);
        return present && from !== sealed
          ? accept({ type: 'VoucherKeyResealed', data: { kid, sealed, at } })
          : accept();
      }
      default:
        return unreachable(command);
    }
  },
  evolve({ keys }, event) {
    switch (event.type) {
      case 'VoucherKeyCreated': {
        const { kid, publicKey, sealed } = event.data;
        return { keys: [...keys, { kid, publicKey, sealed }] };
      }
      case 'VoucherKeyResealed': {
        const { kid, sealed } = event.data;
        return { keys: keys.map((key) => (key.kid === kid ? { ...key, sealed } : key)) };
      }
      default:
        return unreachable(event);
    }
  },
};

export const voucherKeyCodec = codec<VoucherKeyEvent>('voucherkey', { VoucherKeyCreated: [], VoucherKeyResealed: [] });
