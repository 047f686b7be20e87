/** Entries a leaf holds before it is split. */
const LEAF = 8;
const BITS = 5;
const WIDTH = 1 << BITS;
const DEPTH = 6;
const HASHED_CHARACTERS = 16;

type Leaf<V> = { readonly keys: readonly string[]; readonly values: readonly V[] };
type Branch<V> = { readonly children: readonly (Node<V> | undefined)[] };
type Node<V> = Leaf<V> | Branch<V>;

/**
 * An immutable map with string keys: `with` gives a new map and shares all but one path with the old one, so that a
 * state with many thousands of claims can be folded event by event at a cost that does not grow with it. (A hash trie,
 * after Bagwell's "Ideal Hash Trees".)
 */
export class PersistentMap<V> {
  readonly size: number;
  readonly #root: Node<V>;

  constructor(root: Node<V> = { keys: [], values: [] }, size = 0) {
    this.#root = root;
    this.size = size;
  }

  get(key: string): V | undefined {
    return this.#find(key, hashOf(key));
  }

  with(key: string, value: V): PersistentMap<V> {
    const hash = hashOf(key);
    const size = this.#find(key, hash) === undefined ? this.size + 1 : this.size;
    return new PersistentMap(inserted(this.#root, hash, 0, key, value), size);
  }

  without(key: string): PersistentMap<V> {
    const hash = hashOf(key);
    if (this.#find(key, hash) === undefined) return this;
    return new PersistentMap(removed(this.#root, hash, key), this.size - 1);
  }

  *entries(): IterableIterator<[string, V]> {
    yield* entriesOf(this.#root);
  }

  #find(key: string, of: number): V | undefined {
    let node = this.#root;
    let hash = of;
    while ('children' in node) {
      const child: Node<V> | undefined = node.children[hash & (WIDTH - 1)];
      if (child === undefined) return undefined;
      node = child;
      hash >>>= BITS;
    }
    const index = node.keys.indexOf(key);
    return index < 0 ? undefined : node.values[index];
  }
}

function inserted<V>(node: Node<V>, hash: number, depth: number, key: string, value: V): Node<V> {
  if ('children' in node) {
    const slot = hash & (WIDTH - 1);
    const children = node.children.slice();
    children[slot] = inserted(node.children[slot] ?? { keys: [], values: [] }, hash >>> BITS, depth + 1, key, value);
    return { children };
  }
  const index = node.keys.indexOf(key);
  if (index >= 0) return { keys: node.keys, values: node.values.with(index, value) };
  if (node.keys.length < LEAF || depth >= DEPTH) return { keys: [...node.keys, key], values: [...node.values, value] };
  let split: Node<V> = { children: Array<Node<V> | undefined>(WIDTH).fill(undefined) };
  for (let old = 0; old < node.keys.length; old++) {
    const oldKey = node.keys[old] as string;
    split = inserted(split, hashOf(oldKey) >>> (BITS * depth), depth, oldKey, node.values[old] as V);
  }
  return inserted(split, hash, depth, key, value);
}

/** What is left becomes as small as if the key had never been in it: a peak leaves nothing behind that is walked for ever. */
function removed<V>(node: Node<V>, hash: number, key: string): Node<V> {
  if ('children' in node) {
    const slot = hash & (WIDTH - 1);
    const child = node.children[slot];
    if (child === undefined) return node;
    const rest = removed(child, hash >>> BITS, key);
    return withoutEmpty(node.children.with(slot, isEmpty(rest) ? undefined : rest));
  }
  const index = node.keys.indexOf(key);
  return { keys: node.keys.toSpliced(index, 1), values: node.values.toSpliced(index, 1) };
}

function isEmpty(node: Node<unknown>): boolean {
  return 'keys' in node && node.keys.length === 0;
}

/** A branch with nothing but one leaf is that leaf: the keys of a leaf are found in it at any depth. */
function withoutEmpty<V>(children: readonly (Node<V> | undefined)[]): Node<V> {
  const left = children.filter((child) => child !== undefined);
  const [only] = left;
  if (only === undefined) return { keys: [], values: [] };
  return left.length === 1 && 'keys' in only ? only : { children };
}

function* entriesOf<V>(node: Node<V>): IterableIterator<[string, V]> {
  if ('children' in node) {
    for (const child of node.children) if (child !== undefined) yield* entriesOf(child);
    return;
  }
  for (let index = 0; index < node.keys.length; index++) yield [node.keys[index] as string, node.values[index] as V];
}

/** FNV-1a over the end of the key, where ids differ most, with a final mix; 32 bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = Math.max(0, key.length - HASHED_CHARACTERS); index < key.length; index++)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
