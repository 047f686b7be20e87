import { daysOrOff, path } from './formats.ts';
import { optional, setting } from './setting.ts';

/** See docs/decisions/0088. */
export const DATA_PROTECTION_SETTINGS = {
  'Data protection': {
    erasureLedger: optional(
      'ERASURE_LEDGER',
      path('file'),
      '`erasures.db` in `DATA_DIR`',
      'The file that lists erasures, so that a restored backup applies them. Put it on another disk than the events. Refused with `EVENTSTORE_URL`: then MongoDB has the list.',
      'data-protection.md',
    ),
    guestRetentionMs: setting(
      'GUEST_RETENTION_DAYS',
      daysOrOff(1, 3_650),
      '365',
      "The service erases a guest's data so long after the visit, the cancellation or rejection, or the end of the booked date. `off`: only on request.",
      'data-protection.md',
    ),
  },
};
