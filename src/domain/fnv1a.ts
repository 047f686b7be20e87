/** FNV-1a of a text, 32 bits, not mixed: texts that differ only in their last character have close hashes. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** FNV-1a with extra mixing, so that texts that differ in one character spread evenly. 0 to 2^32 − 1. */
export function evenHash(text: string): number {
  let hash = fnv1a(text);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
