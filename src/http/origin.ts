import { MASK } from '../domain/operator/roles.ts';

/** Scheme, host and port of a receiver's URL: the rest may hold a secret. */
export function originOf(url: string | null): string | null {
  return url === null ? null : (URL.parse(url)?.origin ?? MASK);
}
