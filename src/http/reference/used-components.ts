import { isJson, type Json } from './json-schema.ts';

type Kinds = Readonly<Record<string, Json>>;

/** The components that a document refers to, directly or through other components, by kind and sorted by name. */
export function usedComponents(components: Kinds, document: Json): Kinds {
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(follow);
    if (!isJson(value)) return;
    const { $ref } = value;
    if (typeof $ref === 'string' && !used.has($ref)) {
      used.add($ref);
      const [kind = '', name = ''] = $ref.replace('#/components/', '').split('/');
      follow(components[kind]?.[name]);
    }
    Object.values(value).forEach(follow);
  };
  follow(document);
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => {
      const own = Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`));
      return [kind, Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}
