import { HOUR_MS } from '../../eventsourcing/durations.ts';

/** What a device's visits of one day look like. */
export type Figures = {
  /** All that it recorded, with the disputed and the voided ones. */
  readonly visits: number;
  /** Visits whose booking was refunded in full. */
  readonly disputed: number;
  readonly voided: number;
  /** Scans more than EARLY_MS before the activity opened. After it closed, no scan is recorded. */
  readonly early: number;
  /** The largest number of scans in one minute of the clock. */
  readonly mostPerMinute: number;
};

export const UNUSUAL = ['disputed', 'voided', 'early', 'per_minute'] as const;
type Unusual = (typeof UNUSUAL)[number];

/** Guests queue before the doors open, but not for hours. */
export const EARLY_MS = 2 * HOUR_MS;

/** To read a code and let a party in takes a person at least two seconds, so a gate makes no more scans in a minute. */
export const MOST_PER_MINUTE = 30;

/** One or two are accidents: a guest who cancels after the visit, or the wrong voucher scanned. */
export const LEAST_COUNT = 3;

/** At a busy gate accidents add up, but remain a small part of the day's visits. */
export const LEAST_SHARE = 0.1;

/** The figures that are unusual, whose devices the operator should look at. */
export function unusualIn({ visits, disputed, voided, early, mostPerMinute }: Figures): readonly Unusual[] {
  const isMany = (count: number): boolean => count >= LEAST_COUNT && count >= LEAST_SHARE * visits;
  const found = {
    disputed: isMany(disputed),
    voided: isMany(voided),
    early: isMany(early),
    per_minute: mostPerMinute > MOST_PER_MINUTE,
  } satisfies Record<Unusual, boolean>;
  return UNUSUAL.filter((name) => found[name]);
}
