/**
 * Says that a page shows an earlier state. It is loaded again when somebody asks for it: because the service records its reads, or
 * because later pages of a list would be lost.
 */
export function Changed({ what, show }: { readonly what: string; readonly show: () => void }) {
  return (
    <p class="notice info" role="status">
      {what}{' '}
      <button type="button" onClick={show}>
        Show the latest
      </button>
    </p>
  );
}
