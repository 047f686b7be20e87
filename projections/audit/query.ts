import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { AuditDocument, AuditEntryDocument } from './read-model.ts';

/** A null filter matches every entry. */
export type AuditQuery = {
  /** The id of an operator or device. */
  readonly caller: string | null;
  readonly object: string | null;
  readonly operation: string | null;
  /** ISO 8601 UTC, half-open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Audited requests, newest first. */
export async function listAudit(
  readModels: Pick<ReadModelStore, 'find' | 'load'>,
  collection: string,
  { caller, object, operation, from, to, limit, after }: AuditQuery,
): Promise<{ readonly items: readonly AuditEntryDocument[]; readonly next: Cursor | null }> {
  const page = await readModels.find(collection, {
    where: { object: object ?? '', ...(caller !== null && { caller }), ...(operation !== null && { operation }) },
    range: { field: 'at', ...(from !== null && { from }), ...(to !== null && { to }) },
    sort: { field: 'at', direction: 'desc' },
    limit,
    ...(after !== null && { after }),
  });
  // Only the projection's fold writes documents to this collection.
  const docs = page.items.map(({ doc }) => doc as AuditDocument);
  if (object === null) return { items: docs.filter(isEntry), next: page.next };
  const entries = await readModels.load(
    collection,
    docs.map(({ auditId }) => auditId),
  );
  // A request may name an object that is not yet beside it: documents of one event are not written together.
  const named = docs.map(({ auditId }) => (entries.get(auditId)?.doc ?? null) as AuditDocument | null);
  return { items: named.filter((entry) => entry !== null).filter(isEntry), next: page.next };
}

function isEntry(doc: AuditDocument): doc is AuditEntryDocument {
  return 'objects' in doc;
}
