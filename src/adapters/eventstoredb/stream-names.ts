/** Prefix of all stream names of an installation, so that several installations and programs can share a server. */
const PREFIX = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether a text can be a prefix. Does not check for collisions with other installations. */
export function isStreamPrefix(text: string): boolean {
  return PREFIX.test(text);
}

export type StreamNames = ReturnType<typeof streamNames>;

/** Converts stream names: with the prefix on the server, without it above the port. */
export function streamNames(prefix: string) {
  const starts = (categories: readonly string[]): string[] => categories.map((category) => `${prefix}${category}-`);
  // Of the characters allowed in a prefix, only the dot is special in a regular expression.
  const anyCategory = `^${prefix.replaceAll('.', '\\.')}[a-z0-9]+-`;
  return {
    onServer: (stream: string) => `${prefix}${stream}`,
    /** The name without the prefix. */
    ofPort: (name: string) => name.slice(prefix.length),
    /** The server-side filter. The server compares prefixes by culture, not byte by byte, so it may send more streams. */
    filter: (categories: readonly string[] | null): { prefixes: string[] } | { regex: string } =>
      categories === null ? { regex: anyCategory } : { prefixes: starts(categories) },
    /** The same condition as the filter, byte by byte. */
    matcher(categories: readonly string[] | null): (name: string) => boolean {
      if (categories === null) {
        const pattern = new RegExp(anyCategory);
        return (name) => pattern.test(name);
      }
      const allowed = starts(categories);
      return (name) => allowed.some((start) => name.startsWith(start));
    },
  };
}
