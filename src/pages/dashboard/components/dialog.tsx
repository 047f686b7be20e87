import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Form, type Values } from './form.tsx';

/** A modal dialog, open as long as it is rendered. Escape and the button call `close`; without `close` it stays. */
export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string;
  readonly close?: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
    >
      <header class="page-head">
        <h2 id={heading}>{title}</h2>
        {close !== undefined && (
          <button type="button" class="quiet" aria-label="Close" onClick={close}>
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}

/**
 * A button that opens a dialog with a form. The dialog says what will happen, and closes when it has.
 *
 * @param send throws what failed; the dialog stays open then
 */
export function ActionButton({
  label,
  title = label,
  submit = label,
  tone = 'primary',
  send,
  children,
}: {
  readonly label: string;
  readonly title?: string;
  readonly submit?: string;
  readonly tone?: 'primary' | 'danger';
  readonly send: (values: Values) => Promise<void>;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={tone === 'danger' ? 'danger-quiet' : ''} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Dialog title={title} close={() => setOpen(false)}>
          <Form
            submit={submit}
            tone={tone}
            send={async (values) => {
              await send(values);
              setOpen(false);
            }}
          >
            {children}
          </Form>
        </Dialog>
      )}
    </>
  );
}
