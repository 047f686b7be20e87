import { generateKeyPairSync, sign } from 'node:crypto';
import type { Service } from './service.ts';
import type { AnswerOf } from './service-answers.ts';

/** Lets the service's key have the rates of hotels. */
export async function allowHotels(service: Service, ...hotels: readonly string[]): Promise<void> {
  const { id } = (await service.get<AnswerOf<'get /api/keys/self'>>('/api/keys/self', service.key)).data;
  await service.patch(`/api/keys/${id}`, { hotel_ids: hotels }, service.admin);
}

/** Signs guest tokens as a hotel's program does. */
export type HotelSigner = {
  /** For the catalogue's `guest_key`. */
  readonly guestKey: string;
  readonly token: (claims: object, header?: object) => string;
};

export function hotelSigner(): HotelSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    guestKey: publicKey.export({ format: 'jwk' }).x ?? '',
    token(claims, header = {}) {
      const text = `${encoded({ alg: 'EdDSA', typ: 'JWT', ...header })}.${encoded(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    },
  };
}
