import type { AuditedOutcome, AuditedRequest, AuditId } from '../../src/domain/audit/audit.ts';

/** What a filter compares. */
type Filtered = {
  /** '' in an entry; in a mention the id that the entry names. */
  readonly object: string;
  /** The id of the operator or device. */
  readonly caller: string;
  readonly operation: string;
  /** Time of the request, ISO 8601 UTC. */
  readonly at: string;
};

/** An act or a read of guests' data. */
export type AuditEntryDocument = Filtered & {
  readonly auditId: AuditId;
  readonly kind: 'act' | 'guest_read';
  readonly by: AuditedRequest['caller'];
  readonly objects: readonly string[];
  readonly fields: readonly string[];
  readonly address: string | null;
  readonly requestId: string;
  /** Null: unknown. */
  readonly outcome: AuditedOutcome | null;
};

/** One object of an entry, so that an index finds the entries of an object. */
export type AuditMention = Filtered & { readonly auditId: AuditId };

export type AuditDocument = AuditEntryDocument | AuditMention;
