import type { Reference } from './reference.ts';

type Json = { readonly [name: string]: unknown };

/** The ten operations and the ten components with the most bytes, one a line. */
export function heaviest({ operations, document }: Reference): string {
  const components = Object.values(document['components'] as Json).flatMap((kind) => Object.entries(kind as Json));
  const lines = [
    operations.map(({ method, path, operation }) => [`${method} ${path}`, operation] as const),
    components,
  ];
  return lines.flatMap(longest).join('\n');
}

function longest(named: readonly (readonly [string, unknown])[]): readonly string[] {
  const sizes = named.map(([name, part]) => [Buffer.byteLength(JSON.stringify(part)), name] as const);
  const ten = sizes.toSorted(([a], [b]) => b - a).slice(0, 10);
  return ten.map(([bytes, name]) => `${String(bytes).padStart(7)} ${name}`);
}
