import type { OperatorId } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/operator/roles.ts';

/** A named operator for authentication and the list of operators. Only the hash of the token is stored. */
export type OperatorDocument = {
  readonly operatorId: OperatorId;
  readonly name: string;
  readonly role: Role;
  /** False once revoked: the list and the audit still name the operator. */
  readonly active: boolean;
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
};
