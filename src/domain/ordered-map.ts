type Node<V> = {
  readonly key: string;
  readonly value: V;
  readonly left: Node<V> | null;
  readonly right: Node<V> | null;
  readonly height: number;
};

/**
 * An immutable map whose entries come in the text order of their keys, first ones first: what falls due next is read
 * off without looking at the rest, however much waits. (An AVL tree whose changed path alone is copied.)
 */
export class OrderedMap<V> {
  readonly #root: Node<V> | null;

  constructor(root: Node<V> | null = null) {
    this.#root = root;
  }

  with(key: string, value: V): OrderedMap<V> {
    return new OrderedMap(inserted(this.#root, key, value));
  }

  without(key: string): OrderedMap<V> {
    const root = removed(this.#root, key);
    return root === this.#root ? this : new OrderedMap(root);
  }

  *entries(): IterableIterator<readonly [string, V]> {
    const path: Node<V>[] = [];
    let node = this.#root;
    while (node !== null || path.length > 0) {
      for (; node !== null; node = node.left) path.push(node);
      const next = path.pop();
      if (next === undefined) return;
      yield [next.key, next.value];
      node = next.right;
    }
  }
}

function inserted<V>(node: Node<V> | null, key: string, value: V): Node<V> {
  if (node === null) return { key, value, left: null, right: null, height: 1 };
  if (key === node.key) return { ...node, value };
  return key < node.key
    ? balanced(node, inserted(node.left, key, value), node.right)
    : balanced(node, node.left, inserted(node.right, key, value));
}

function removed<V>(node: Node<V> | null, key: string): Node<V> | null {
  if (node === null) return null;
  if (key !== node.key) {
    const inLeft = key < node.key;
    const before = inLeft ? node.left : node.right;
    const after = removed(before, key);
    if (after === before) return node;
    return inLeft ? balanced(node, after, node.right) : balanced(node, node.left, after);
  }
  if (node.left === null || node.right === null) return node.left ?? node.right;
  const next = first(node.right);
  return balanced(next, node.left, removed(node.right, next.key));
}

function first<V>(node: Node<V>): Node<V> {
  let least = node;
  while (least.left !== null) least = least.left;
  return least;
}

/** The entry of `node` over two subtrees whose heights differ by at most two. */
function balanced<V>(node: Node<V>, left: Node<V> | null, right: Node<V> | null): Node<V> {
  const lean = heightOf(left) - heightOf(right);
  if (lean > 1 && left !== null) {
    if (heightOf(left.left) >= heightOf(left.right)) return over(left, left.left, over(node, left.right, right));
    const top = left.right ?? left;
    return over(top, over(left, left.left, top.left), over(node, top.right, right));
  }
  if (lean < -1 && right !== null) {
    if (heightOf(right.right) >= heightOf(right.left)) return over(right, over(node, left, right.left), right.right);
    const top = right.left ?? right;
    return over(top, over(node, left, top.left), over(right, top.right, right.right));
  }
  return over(node, left, right);
}

function over<V>({ key, value }: Node<V>, left: Node<V> | null, right: Node<V> | null): Node<V> {
  return { key, value, left, right, height: 1 + Math.max(heightOf(left), heightOf(right)) };
}

function heightOf(node: Node<unknown> | null): number {
  return node === null ? 0 : node.height;
}
