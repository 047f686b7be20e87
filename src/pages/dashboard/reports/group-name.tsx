/** The name of a group. A day or month stays in one line. */
export function GroupName({ of }: { readonly of: string }) {
  return /^\d{4}-\d{2}/.test(of) ? <span class="number">{of}</span> : <>{of}</>;
}
