/** The address with which a phone signs in. */
const LOGIN_ADDRESS = /^https?:\/\/[^/#?\s]+\/gate\/?#(.+)$/i;

/** The device key in a scanned, pasted or linked text; null if it has the form of none. */
export function deviceKeyIn(text: string): string | null {
  const key = LOGIN_ADDRESS.exec(text.trim())?.[1] ?? text.trim().replace(/^#/, '');
  return /^[\w-]{16,200}$/.test(key) ? key : null;
}
