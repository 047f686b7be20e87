import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';

/** Names a secret key in the log, which never holds one: a one-way function of the key. */
export type SecretKeyId = string & { readonly __brand: 'SecretKeyId' };

/** These types are the storage format. */
export type SecretKeyEvent =
  | {
      readonly type: 'SecretKeyReplaced';
      readonly data: {
        /** From here on, this key seals. */
        readonly keyId: SecretKeyId;
        readonly replacedKeyId: SecretKeyId;
        /** The key of the digests, sealed with the new secret key. It never changes. */
        readonly digestKey: string;
        readonly at: string;
      };
    }
  /** Nothing needs the replaced key any more. */
  | { readonly type: 'SecretsResealed'; readonly data: { readonly keyId: SecretKeyId; readonly at: string } };

export type SecretKeyCommand =
  | {
      readonly type: 'ReplaceSecretKey';
      readonly keyId: SecretKeyId;
      readonly replacedKeyId: SecretKeyId;
      readonly digestKey: string;
      readonly at: string;
    }
  | { readonly type: 'RecordResealed'; readonly keyId: SecretKeyId; readonly at: string };

/** `OTHER_KEY_SEALS`: another node replaced the key; `NOT_RESEALED`: secrets may still need the key before the present. */
export type SecretKeyRejection = { readonly code: 'OTHER_KEY_SEALS' | 'NOT_RESEALED' };

export type SecretKeyRing =
  /** No key was ever replaced: the only one seals, and keys the digests. */
  | { readonly status: 'first' }
  | {
      readonly status: 'replaced';
      /** The key that seals. */
      readonly keyId: SecretKeyId;
      /** The keys before it, oldest first. None of them ever seals again. */
      readonly replaced: readonly SecretKeyId[];
      readonly digestKey: string;
      /** When the present key replaced the one before it, ISO 8601 UTC. */
      readonly at: string;
      readonly resealed: boolean;
    };

/** The id of the only stream: `secretkey-ring`. */
export const SECRET_KEY_RING = 'ring';

export const secretKeyDecider: Decider<SecretKeyCommand, SecretKeyRing, SecretKeyEvent, SecretKeyRejection> = {
  initial: { status: 'first' },
  decide(command, ring) {
    const { keyId, at } = command;
    const present = ring.status === 'replaced' && ring.keyId === keyId ? ring : null;
    switch (command.type) {
      case 'ReplaceSecretKey': {
        // Nodes that start at once with the same new key replace the old one together.
        if (present !== null) return accept();
        const { replacedKeyId, digestKey } = command;
        if (ring.status === 'replaced') {
          if (ring.keyId !== replacedKeyId || ring.replaced.includes(keyId)) return reject({ code: 'OTHER_KEY_SEALS' });
          if (!ring.resealed) return reject({ code: 'NOT_RESEALED' });
        }
        return accept({ type: 'SecretKeyReplaced', data: { keyId, replacedKeyId, digestKey, at } });
      }
      case 'RecordResealed':
        if (present === null) return reject({ code: 'OTHER_KEY_SEALS' });
        return present.resealed ? accept() : accept({ type: 'SecretsResealed', data: { keyId, at } });
      default:
        return unreachable(command);
    }
  },
  evolve(ring, event) {
    switch (event.type) {
      case 'SecretKeyReplaced': {
        const { keyId, replacedKeyId, digestKey, at } = event.data;
        const earlier = ring.status === 'replaced' ? ring.replaced : [];
        return { status: 'replaced', keyId, replaced: [...earlier, replacedKeyId], digestKey, at, resealed: false };
      }
      case 'SecretsResealed':
        return ring.status === 'replaced' ? { ...ring, resealed: true } : ring;
      default:
        return unreachable(event);
    }
  },
};

export const secretKeyCodec = codec<SecretKeyEvent>('secretkey', { SecretKeyReplaced: [], SecretsResealed: [] });
