import type { Entry, Fault } from './entry.ts';
import { acknowledge, conflicts, waiting } from './queue.ts';
import { device, serviceNowMs } from './state.ts';
import { texts } from './texts.ts';
import { isBehind } from './upload-round.ts';
import { localMoment } from './venue-time.ts';
import { verdictOfRefusal } from './verdict.ts';

/** What this phone has admitted and the service does not have, or did not accept. */
export function WaitingView() {
  const { waiting: text } = texts();
  const [open, refused] = [waiting(), conflicts()];
  return (
    <div class="waiting">
      {refused.length > 0 && (
        <section class="conflicts">
          <h2>{text.conflicts}</h2>
          <p>{text.conflictText}</p>
          <ul>
            {refused.map((entry) => (
              <li key={entry.sequence}>
                <Admitted entry={entry} />
                <p class="reason">{whyOf(entry)}</p>
                <button type="button" onClick={() => void acknowledge(entry)}>
                  {text.understood}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{text.heading}</h2>
        <p>{open.length === 0 ? text.none : text.text}</p>
        <ul>
          {open.map((entry) => (
            <li key={entry.sequence}>
              <Admitted entry={entry} />
              {entry.fault === undefined ? (
                isBehind(entry, open) && <p class="reason">{text.behind}</p>
              ) : (
                <Faulty of={entry.fault} />
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Admitted({ entry: { guest, guestsPresent, at, sent } }: { readonly entry: Entry }) {
  const { waiting: text, noName } = texts();
  return (
    <>
      <p class="name">{guest?.name ?? (sent.kind === 'visit' ? shortened(sent.code) : noName)}</p>
      <p>{text.letIn(guestsPresent, momentOf(Date.parse(at)))}</p>
    </>
  );
}

function Faulty({ of: { status, code, retryAtMs } }: { readonly of: Fault }) {
  const { waiting: text } = texts();
  const what = code === null ? String(status) : `${status} ${code}`;
  return (
    <>
      <p class="reason">{status === 0 ? text.slow : text.faulty(what)}</p>
      <p>{text.nextTry(momentOf(retryAtMs))}</p>
    </>
  );
}

function whyOf({ conflict, sent }: Entry): string {
  const { reasons } = texts();
  if (conflict === null) return '';
  const { reason, atMs, where } = verdictOfRefusal(conflict, sent.kind === 'visit' ? sent.code : '');
  return reasons[reason ?? 'REFUSED']({ at: atMs === null ? null : momentOf(atMs), where });
}

function momentOf(atMs: number): string {
  return localMoment(texts().locale, device.value?.timeZone ?? 'UTC', { atMs, nowMs: serviceNowMs() });
}

/** A code without a name: its beginning tells the staff which one they typed. */
function shortened(code: string): string {
  const MOST = 24;
  return code.length > MOST ? `${code.slice(0, MOST)}…` : code;
}
