import { accessDenied, unauthenticated } from './errors.mjs';

/**
 * @typedef {import('@grpc/grpc-js').Metadata} Metadata
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 */

/**
 * Who may come in: everybody where no user is named, otherwise only that one, with Basic authentication.
 *
 * @param {{ user: string, password: string } | null} account
 * @returns {(metadata: Metadata) => ServiceError | null}
 */
export function accessFor(account) {
  if (account === null) return () => null;
  const right = `Basic ${Buffer.from(`${account.user}:${account.password}`).toString('base64')}`;
  return (metadata) => {
    const given = metadata.get('authorization')[0];
    if (given === undefined) return accessDenied();
    return given === right ? null : unauthenticated();
  };
}
