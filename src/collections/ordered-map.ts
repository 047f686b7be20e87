/** Negative, zero or positive, as for `Array.prototype.sort`. */
type Compare<K> = (left: K, right: K) => number;

type Node<K, V> = {
  readonly key: K;
  readonly value: V;
  /** Entries in this subtree, plus one. */
  readonly weight: number;
  readonly left: Node<K, V> | null;
  readonly right: Node<K, V> | null;
};

/** Maximum ratio of the weights of two sibling subtrees. */
const MAX_RATIO = 3;
/** From this ratio of the inner to the outer grandchild on, a double rotation is needed. */
const ROTATION_RATIO = 2;

/**
 * An immutable map in the order of its keys, by default that of `<`. `with` and `without` return a new map that shares all
 * but one path with the old one: O(log n), as is `get`. (A weight-balanced tree; the ratios are those proven by Hirai and
 * Yamamoto, "Balancing weight-balanced trees", 2011.)
 */
export class OrderedMap<K, V> {
  readonly #compare: Compare<K>;
  readonly #root: Node<K, V> | null;

  constructor(compare: Compare<K> = inNaturalOrder, root: Node<K, V> | null = null) {
    this.#compare = compare;
    this.#root = root;
  }

  /** A map of entries that are in the order of `<` already, without two equal keys: O(n). */
  static ofSorted<K, V>(entries: readonly (readonly [K, V])[]): OrderedMap<K, V> {
    return new OrderedMap<K, V>(inNaturalOrder, balancedFrom(entries, 0, entries.length));
  }

  get size(): number {
    return weightOf(this.#root) - 1;
  }

  get(key: K): V | undefined {
    const compare = this.#compare;
    let node = this.#root;
    while (node !== null) {
      const order = compare(key, node.key);
      if (order === 0) return node.value;
      node = order < 0 ? node.left : node.right;
    }
    return undefined;
  }

  /** The value of the lowest key. */
  get first(): V | undefined {
    return this.#root === null ? undefined : lowest(this.#root).value;
  }

  with(key: K, value: V): OrderedMap<K, V> {
    return new OrderedMap(this.#compare, inserted(this.#root, key, value, this.#compare));
  }

  without(key: K): OrderedMap<K, V> {
    const root = removed(this.#root, key, this.#compare);
    return root === this.#root ? this : new OrderedMap(this.#compare, root);
  }

  *entries(): IterableIterator<[K, V]> {
    for (const { key, value } of nodesOf(this.#root)) yield [key, value];
  }

  *values(): IterableIterator<V> {
    for (const { value } of nodesOf(this.#root)) yield value;
  }
}

function* nodesOf<K, V>(root: Node<K, V> | null): IterableIterator<Node<K, V>> {
  const path: Node<K, V>[] = [];
  let node = root;
  while (node !== null || path.length > 0) {
    for (; node !== null; node = node.left) path.push(node);
    const next = path.pop();
    if (next === undefined) return;
    yield next;
    node = next.right;
  }
}

/** The entries from one index up to another (exclusive). */
function balancedFrom<K, V>(entries: readonly (readonly [K, V])[], from: number, to: number): Node<K, V> | null {
  const middle = (from + to) >> 1;
  const entry = entries[middle];
  if (from >= to || entry === undefined) return null;
  const [left, right] = [balancedFrom(entries, from, middle), balancedFrom(entries, middle + 1, to)];
  return joined({ key: entry[0], value: entry[1], weight: 2, left: null, right: null }, left, right);
}

function inNaturalOrder<K>(left: K, right: K): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function inserted<K, V>(node: Node<K, V> | null, key: K, value: V, compare: Compare<K>): Node<K, V> {
  if (node === null) return { key, value, weight: 2, left: null, right: null };
  const order = compare(key, node.key);
  if (order === 0) return { key, value, weight: node.weight, left: node.left, right: node.right };
  return order < 0
    ? balanced(node, inserted(node.left, key, value, compare), node.right)
    : balanced(node, node.left, inserted(node.right, key, value, compare));
}

function removed<K, V>(node: Node<K, V> | null, key: K, compare: Compare<K>): Node<K, V> | null {
  if (node === null) return null;
  const order = compare(key, node.key);
  if (order < 0) {
    const left = removed(node.left, key, compare);
    return left === node.left ? node : balanced(node, left, node.right);
  }
  if (order > 0) {
    const right = removed(node.right, key, compare);
    return right === node.right ? node : balanced(node, node.left, right);
  }
  if (node.left === null || node.right === null) return node.left ?? node.right;
  return balanced(lowest(node.right), node.left, withoutLowest(node.right));
}

function withoutLowest<K, V>(node: Node<K, V>): Node<K, V> | null {
  return node.left === null ? node.right : balanced(node, withoutLowest(node.left), node.right);
}

function lowest<K, V>(root: Node<K, V>): Node<K, V> {
  let node = root;
  while (node.left !== null) node = node.left;
  return node;
}

/** The entry of `node` above two balanced subtrees, one of which gained or lost one entry. */
function balanced<K, V>(node: Node<K, V>, left: Node<K, V> | null, right: Node<K, V> | null): Node<K, V> {
  const leftWeight = weightOf(left);
  const rightWeight = weightOf(right);
  if (left !== null && leftWeight > MAX_RATIO * rightWeight) {
    const inner = left.right;
    if (inner === null || weightOf(inner) < ROTATION_RATIO * weightOf(left.left))
      return joined(left, left.left, joined(node, inner, right));
    return joined(inner, joined(left, left.left, inner.left), joined(node, inner.right, right));
  }
  if (right !== null && rightWeight > MAX_RATIO * leftWeight) {
    const inner = right.left;
    if (inner === null || weightOf(inner) < ROTATION_RATIO * weightOf(right.right))
      return joined(right, joined(node, left, inner), right.right);
    return joined(inner, joined(node, left, inner.left), joined(right, inner.right, right.right));
  }
  return { key: node.key, value: node.value, weight: leftWeight + rightWeight, left, right };
}

/** The entry of `node` above two subtrees. */
function joined<K, V>({ key, value }: Node<K, V>, left: Node<K, V> | null, right: Node<K, V> | null): Node<K, V> {
  return { key, value, weight: weightOf(left) + weightOf(right), left, right };
}

function weightOf(node: Node<unknown, unknown> | null): number {
  return node === null ? 1 : node.weight;
}
