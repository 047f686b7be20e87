import { LANGUAGES, type Language } from '../domain/activity/vocabulary.ts';

const known = new Set<string>(LANGUAGES);

/**
 * The supported language that an `Accept-Language` header prefers; null if it names none (`*` does not count). Only the
 * primary subtag counts: `zh-Hant-TW` is Chinese.
 */
export function preferredLanguage(header: string | null): Language | null {
  if (header === null) return null;
  const ranked = header
    .split(',')
    .map((part, order) => {
      const [tag = '', ...parameters] = part.trim().split(/\s*;\s*/);
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return {
        language: tag.toLowerCase().split('-')[0] ?? '',
        quality: quality === undefined ? 1 : Number(quality),
        order,
      };
    })
    .filter(({ language, quality }) => known.has(language) && quality > 0)
    .sort((left, right) => right.quality - left.quality || left.order - right.order);
  return (ranked[0]?.language ?? null) as Language | null;
}
