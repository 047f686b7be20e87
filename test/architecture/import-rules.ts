import { posix } from 'node:path';
import { type Import, scanImports } from './import-scanner.ts';
import type { Outside, Room } from './rules.ts';

/** What a project is judged by. */
export type Judgement = {
  readonly rooms: readonly Room[];
  readonly reserved: Readonly<Record<string, readonly string[]>>;
  /** Names of the packages that a running service has. */
  readonly packages: ReadonlySet<string>;
  /** Whether a file stands at a path from the root. */
  readonly exists: (path: string) => boolean;
};

/** Faults, in the reader's words, each with the place it stands at; and the imports that were seen, by file. */
export type Verdict = {
  readonly faults: readonly string[];
  readonly imports: ReadonlyMap<string, readonly Import[]>;
};

/** Judges source texts, named by their paths from the root. */
export function judge(sources: ReadonlyMap<string, string>, judgement: Judgement): Verdict {
  const faults: string[] = [];
  const imports = new Map<string, readonly Import[]>();
  const graph = new Map<string, string[]>();
  for (const [path, source] of sources) {
    const found = scanImports(source);
    imports.set(path, found);
    graph.set(path, []);
    const place = roomOf(path, judgement.rooms);
    if (place === null) {
      faults.push(`${path} stands in no room: see the table in test/architecture/rules.ts`);
      continue;
    }
    for (const { specifier, line } of found) {
      const target =
        specifier !== null && /^\.\.?(\/|$)/.test(specifier) ? posix.join(posix.dirname(path), specifier) : null;
      if (target !== null) graph.get(path)?.push(target);
      const fault =
        target === null ? faultOutside(specifier, place, judgement) : faultWithin(target, place, judgement.exists);
      if (fault !== null) faults.push(`${path}:${line} ${fault}`);
    }
  }
  faults.push(...cycles(graph).map((cycle) => `these files import each other in a circle: ${cycle.join(' → ')}`));
  return { faults, imports };
}

/** Whether a pattern of the table means a path, or a folder above it. */
export function covers(pattern: string, path: string): boolean {
  const segments = path.split('/');
  return pattern
    .split('/')
    .every((part, index) => part === segments[index] || (part === '*' && index < segments.length));
}

/** The rules that a file lives under, and the folder or file that is its own room; `null` where it has none. */
export function roomOf(path: string, rooms: readonly Room[]): { readonly rules: Room; readonly own: string } | null {
  const depth = (pattern: string): number => pattern.split('/').length;
  const [rules] = rooms
    .filter(({ room }) => room === path || (covers(room, path) && depth(path) > depth(room)))
    .toSorted((a, b) => depth(b.room) - depth(a.room));
  if (rules === undefined) return null;
  return { rules, own: path.split('/').slice(0, depth(rules.room)).join('/') };
}

type Place = NonNullable<ReturnType<typeof roomOf>>;

function faultWithin(target: string, { rules, own }: Place, exists: Judgement['exists']): string | null {
  if (!exists(target)) return `imports ${target}, which does not exist`;
  if ([own, ...rules.mayImport].some((pattern) => covers(pattern, target))) return null;
  const allowed = rules.mayImport.length === 0 ? 'nothing of ours' : `only ${rules.mayImport.join(', ')}`;
  return `imports ${target}, but ${rules.room} may import ${allowed}`;
}

function faultOutside(specifier: string | null, { rules, own }: Place, judgement: Judgement): string | null {
  if (specifier === null) return 'computes what it imports, so that no rule can follow it';
  if (specifier.startsWith('/') || specifier.startsWith('#'))
    return `imports '${specifier}' by a path that is not relative`;
  const builtIn = specifier === 'bun' || /^(node|bun):/.test(specifier);
  const name = builtIn ? specifier : packageName(specifier);
  if (!builtIn && !judgement.packages.has(name))
    return `imports ${name}, which package.json does not declare as a dependency`;
  const owners = reservedTo(name, judgement.reserved);
  if (owners !== null && !owners.includes(own)) {
    return `imports ${name}, which ${owners.length === 0 ? 'no room may' : `only ${owners.join(', ')} may`}`;
  }
  const granted: readonly Outside[] = [builtIn ? 'built-in modules' : 'any package', `package ${name}`];
  if (rules.outside.some((outside) => granted.includes(outside))) return null;
  return `imports ${name}, but ${rules.room} may use ${rules.outside.join(', ') || 'nothing that is not ours'}`;
}

function reservedTo(name: string, reserved: Judgement['reserved']): readonly string[] | null {
  const scope = `${name.split('/')[0]}/*`;
  return reserved[name] ?? reserved[scope] ?? null;
}

/** `@scope/name` of `@scope/name/deep/path`. */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** One circle for each import that closes one, beginning and ending with the same file. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of graph.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of graph.keys()) visit(path);
  return found;
}
