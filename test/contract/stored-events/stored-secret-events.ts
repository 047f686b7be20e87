import type { SecretKeyEvent } from '../../../src/domain/secretkey/secretkey.ts';
import type { VoucherKeyEvent } from '../../../src/domain/voucherkey/voucherkey.ts';
import { secretKeyId } from '../../support/secret-keys.ts';

export const STORED_SECRET_KEY_EVENTS = {
  'SecretKeyReplaced.v1': {
    type: 'SecretKeyReplaced',
    data: {
      keyId: secretKeyId('0f3a9c5b7d1e82460a4c'),
      replacedKeyId: secretKeyId('91e6b2d47a08c35f1d2b'),
      digestKey: 's4Mf7Lp9CgEq8Zt5uVb0RwYk3Hn6Jd1X',
      at: '2026-11-27T09:00:00.000Z',
    },
  },
  'SecretsResealed.v1': {
    type: 'SecretsResealed',
    data: { keyId: secretKeyId('0f3a9c5b7d1e82460a4c'), at: '2026-11-27T09:00:40.000Z' },
  },
} satisfies Record<string, SecretKeyEvent>;

export const STORED_VOUCHER_KEY_EVENTS = {
  'VoucherKeyCreated.v1': {
    type: 'VoucherKeyCreated',
    data: {
      kid: '7GK2M0Q9',
      publicKey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE',
      sealed: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
      at: '2026-11-21T03:00:00.000Z',
    },
  },
  'VoucherKeyResealed.v1': {
    type: 'VoucherKeyResealed',
    data: {
      kid: '7GK2M0Q9',
      sealed: 'Zc2hQkM0n8Wb5sYx1Jr7Tf3Lp6Vd9GuEoAiCkNmPq4R',
      at: '2026-11-27T09:00:05.000Z',
    },
  },
} satisfies Record<string, VoucherKeyEvent>;
