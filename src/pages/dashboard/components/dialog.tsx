import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { idempotencyKey } from '../client.ts';
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
      // Browsers let a page prevent `cancel` once per input: the second Escape in a row closes the element.
      onClose={({ currentTarget }) => {
        if (close === undefined) currentTarget.showModal();
        else close();
      }}
    >
      <header class="dialog-head">
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
 * @param send throws what failed; the dialog stays open then. `key` is an Idempotency-Key, the same until the dialog closes:
 * what is sent again after a lost answer is done once
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
  readonly send: (values: Values, key: string) => Promise<void>;
  readonly children: ComponentChildren;
}) {
  /** Null while it is closed. */
  const [key, setKey] = useState<string | null>(null);
  return (
    <>
      <button type="button" class={tone === 'danger' ? 'danger-quiet' : ''} onClick={() => setKey(idempotencyKey())}>
        {label}
      </button>
      {key !== null && (
        <Dialog title={title} close={() => setKey(null)}>
          <Form
            submit={submit}
            tone={tone}
            send={async (values) => {
              await send(values, key);
              setKey(null);
            }}
          >
            {children}
          </Form>
        </Dialog>
      )}
    </>
  );
}
