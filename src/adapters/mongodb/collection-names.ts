/**
 * Collections that do not belong to projections, whose names begin with a letter. `migrations/` creates them with
 * indexes and validators.
 */
export const CHECKPOINTS = '_checkpoints';
export const POINTERS = '_pointers';
export const USAGE = '_usage';
export const REQUEST_STATISTICS = '_key_use';
export const LAST_USE = '_key_last_use';
export const EXPOSURE = '_exposure';
export const LEASES = '_leases';
export const MIGRATIONS = '_migrations';
export const SNAPSHOTS = '_snapshots';
export const MAILS = '_mails';
export const ERASURES = '_erasures';
