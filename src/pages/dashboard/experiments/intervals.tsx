export type Estimate = { readonly value: number; readonly low: number; readonly high: number };
type Row = { readonly label: string; readonly estimate: Estimate | null };

/** Estimates with their intervals, as numbers and on one scale. */
export function Intervals({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  const known = rows.flatMap(({ estimate }) => (estimate === null ? [] : [estimate]));
  const low = Math.min(0, ...known.map((each) => each.low));
  const high = Math.max(0, ...known.map((each) => each.high));
  const width = Math.max(high - low, Number.MIN_VALUE);
  const at = (value: number): number => (100 * (value - low)) / width;
  return (
    <table class="bars">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Of</th>
          <th scope="col" class="end">
            Estimate (interval)
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, estimate }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td class="end">{estimate === null ? 'no answers yet' : textOf(estimate)}</td>
            <td aria-hidden="true">{estimate !== null && <Scale estimate={estimate} at={at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The line of 0, the interval, and a dot for the estimate. */
function Scale({
  estimate: { value, low, high },
  at,
}: {
  readonly estimate: Estimate;
  readonly at: (v: number) => number;
}) {
  return (
    <svg class="interval" viewBox="-2 0 104 12" preserveAspectRatio="none">
      <line class="zero" x1={at(0)} x2={at(0)} y1="0" y2="12" />
      <line x1={at(low)} x2={at(high)} y1="6" y2="6" />
      <line x1={at(low)} x2={at(low)} y1="2" y2="10" />
      <line x1={at(high)} x2={at(high)} y1="2" y2="10" />
      <line class="value" x1={at(value)} x2={at(value)} y1="1" y2="11" />
    </svg>
  );
}

function textOf({ value, low, high }: Estimate): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
