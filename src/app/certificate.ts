import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../config.ts';
import { OperatorError } from '../ports/operator-error.ts';

/** TLS 1.3 (RFC 8446, 4.2.1), the only accepted version. */
const TLS_1_3 = 0x0304;

/** A certificate with its key, as a server takes them. */
export type Certificate = {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: number;
  /** End of validity, for the log. */
  readonly validTo: string;
};

/** The files of TLS_CERT and TLS_KEY cannot be used. The message names them and shows none of their content. */
export class BadCertificate extends OperatorError {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`);
    this.name = 'BadCertificate';
  }
}

/** @throws BadCertificate if a file cannot be read, or the two are not a certificate and its key */
export function readCertificate(files: TlsFiles): Certificate {
  const [cert, key] = [read('TLS_CERT', files.cert), read('TLS_KEY', files.key)];
  try {
    createSecureContext({ cert, key });
    const { validTo } = new X509Certificate(cert);
    return { cert, key, minVersion: TLS_1_3, validTo: new Date(validTo).toISOString() };
  } catch (fault) {
    throw new BadCertificate(
      `TLS_CERT (${files.cert}) and TLS_KEY (${files.key}) are no certificate and its key`,
      fault,
    );
  }
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    throw new BadCertificate(`${name} cannot be read`, fault);
  }
}
