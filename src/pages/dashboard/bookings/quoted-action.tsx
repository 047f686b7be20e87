import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { idempotencyKey } from '../client.ts';
import { Dialog } from '../components/dialog.tsx';
import { Form, type Values } from '../components/form.tsx';
import type { Known } from './load.ts';

/** What the person decides about in the second step. */
type Asked<Quote> = {
  /** The version that was quoted. The page may have loaded a later one since. */
  readonly known: Known;
  readonly values: Values;
  readonly quote: Quote;
  /** Idempotency-Key of this decision. */
  readonly key: string;
};

/**
 * A button that opens a dialog of two steps: the fields, then what the action would do, as the API quotes it. Only the second
 * step does it, for the version that was quoted, and a repeated send does it once.
 *
 * @param submit the label of the second step; null if the quote says that it cannot be done
 */
export function QuotedAction<Quote>({
  known,
  label,
  title,
  tone = 'primary',
  ask,
  quote: quoteOf,
  show,
  submit,
  act,
  children,
}: {
  readonly known: Known;
  readonly label: string;
  readonly title: string;
  readonly tone?: 'primary' | 'danger';
  readonly ask: string;
  readonly quote: (known: Known, values: Values) => Promise<Quote>;
  readonly show: (quote: Quote) => ComponentChildren;
  readonly submit: (quote: Quote) => string | null;
  readonly act: (asked: Asked<Quote>) => Promise<void>;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<Asked<Quote> | null>(null);
  const close = (): void => {
    setOpen(false);
    setAsked(null);
  };
  const confirmed = asked === null ? null : submit(asked.quote);
  return (
    <>
      <button type="button" class={tone === 'danger' ? 'danger-quiet' : ''} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Dialog title={title} close={close}>
          <div hidden={asked !== null}>
            <Form
              submit={ask}
              send={async (values) => {
                const quote = await quoteOf(known, values);
                setAsked({ known, values, quote, key: idempotencyKey() });
              }}
            >
              {children}
            </Form>
          </div>
          {asked !== null && (
            <>
              <div role="status">{show(asked.quote)}</div>
              {confirmed !== null && (
                <Form
                  submit={confirmed}
                  tone={tone}
                  send={async () => {
                    await act(asked);
                    close();
                  }}
                />
              )}
              <p>
                <button type="button" onClick={() => setAsked(null)}>
                  Back
                </button>
              </p>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
