import { domainToASCII, domainToUnicode } from 'node:url';

/** A dot-atom of RFC 5322, with the letters of RFC 6532: nothing that a mail server could read as another address. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}-]+(\.[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}-]+)*$/u;
/** Characters that `domainToASCII` cuts at, drops or decodes. */
const NO_DOMAIN = /[\s%/:?#@[\]\\]/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5321, 4.5.3.1. */
const [MAX_LOCAL_BYTES, MAX_DOMAIN, MAX_ADDRESS] = [64, 253, 254];

/**
 * The address as the mail server gets it: the local part as it is; the domain in lower case, in its ASCII form (Punycode),
 * or in Unicode if the local part is not ASCII. Null if no mail can be sent to it.
 */
export function mailAddressOf(text: string): string | null {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!LOCAL.test(local) || Buffer.byteLength(local) > MAX_LOCAL_BYTES || NO_DOMAIN.test(domain)) return null;
  const ascii = domainToASCII(domain);
  if (!DOMAIN.test(ascii) || ascii.length > MAX_DOMAIN) return null;
  const address = `${local}@${isAscii(local) ? ascii : domainToUnicode(ascii)}`;
  return address.length > MAX_ADDRESS ? null : address;
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
