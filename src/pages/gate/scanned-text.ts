/** The address of a voucher's page, with or without a token. */
const VOUCHER_ADDRESS = /^https?:\/\/[^/#?\s]+\/api\/vouchers\/([^/#?\s]+)[^#\s]*(?:#(.*))?$/i;
/** The address with which a phone signs in. */
const LOGIN_ADDRESS = /^https?:\/\/[^/#?\s]+\/gate\/?#(.+)$/i;

/** The token or code in a scanned or typed text: of an address its token, or its code if it has no token. */
export function scannedText(text: string): string {
  const [, code, token] = VOUCHER_ADDRESS.exec(text.trim()) ?? [];
  return token || code || text.trim();
}

/** The device key in a scanned or typed text; null if it has the form of none. */
export function deviceKeyIn(text: string): string | null {
  const key = LOGIN_ADDRESS.exec(text.trim())?.[1] ?? text.trim().replace(/^#/, '');
  return /^[\w-]{16,200}$/.test(key) ? key : null;
}
