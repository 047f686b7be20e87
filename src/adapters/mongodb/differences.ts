import type { StoredDocument } from '../../ports/read-model-store.ts';

/** Merges two scans in id order. */
export async function* differingOf(
  left: AsyncIterator<StoredDocument, undefined>,
  right: AsyncIterator<StoredDocument, undefined>,
): AsyncGenerator<string> {
  let [ours, theirs] = await Promise.all([nextOf(left), nextOf(right)]);
  for (;;) {
    const id = [ours, theirs].flatMap((each) => each?.id ?? []).toSorted(byBytes)[0];
    if (id === undefined) return;
    const [inLeft, inRight] = [ours?.id === id, theirs?.id === id];
    if (textOf(inLeft ? ours : null) !== textOf(inRight ? theirs : null)) yield id;
    [ours, theirs] = await Promise.all([inLeft ? nextOf(left) : ours, inRight ? nextOf(right) : theirs]);
  }
}

async function nextOf(documents: AsyncIterator<StoredDocument, undefined>): Promise<StoredDocument | null> {
  return (await documents.next()).value ?? null;
}

/** As MongoDB orders strings: by their UTF-8 bytes. */
function byBytes(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function textOf(document: StoredDocument | null): string {
  return document === null ? '' : `${document.position} ${JSON.stringify(document.doc)}`;
}
