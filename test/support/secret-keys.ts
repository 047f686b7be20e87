import type { SecretKeyId } from '../../src/domain/secretkey/secretkey.ts';

export const secretKeyId = (text: string) => text as SecretKeyId;
