import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { createContext } from 'preact';
import { useContext, useId, useRef, useState } from 'preact/hooks';
import { ApiError } from '../client.ts';
import { asError } from '../use-answer.ts';
import type { useQuery } from '../use-query.ts';
import { Fault } from './page.tsx';

/** The fields that the API's refusal names. */
const Refused = createContext<string>('');

/** What a form holds: the trimmed text of each named field that is not empty. */
export type Values = Readonly<Record<string, string>>;

/**
 * Sends its fields once: the button is off while it does. A refusal is shown above the fields, and marks those that it
 * names.
 *
 * @param send throws what failed
 */
export function Form({
  submit,
  send,
  tone = 'primary',
  inline = false,
  children,
}: {
  readonly submit: string;
  readonly send: (values: Values) => Promise<void> | void;
  readonly tone?: 'primary' | 'danger' | 'plain';
  readonly inline?: boolean;
  readonly children?: ComponentChildren;
}) {
  const [fault, setFault] = useState<Error | null>(null);
  const [sending, setSending] = useState(false);
  const submitted = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    const values = valuesOf(event.currentTarget);
    setSending(true);
    setFault(null);
    try {
      await send(values);
    } catch (thrown) {
      setFault(asError(thrown));
    }
    setSending(false);
  };
  const named = fault instanceof ApiError ? `${fault.message} ${fault.details}` : '';
  return (
    <form class={inline ? 'inline' : 'form'} onSubmit={(event) => void submitted(event)}>
      <Fault of={fault} />
      <Refused.Provider value={named}>{children}</Refused.Provider>
      <div class="actions">
        <button type="submit" class={tone} disabled={sending}>
          {sending ? 'Sending…' : submit}
        </button>
      </div>
    </form>
  );
}

/**
 * A form for parameters in the address. Its fields keep the keyboard's focus when it is sent, and are drawn anew when the
 * address changes by other means: by a link, or the browser's back button.
 *
 * @param names the parameters that its fields set
 */
export function FilterForm({
  names,
  query: [query, change],
  submit = 'Filter',
  tone = 'plain',
  children,
}: {
  readonly names: readonly string[];
  readonly query: ReturnType<typeof useQuery>;
  readonly submit?: string;
  readonly tone?: 'primary' | 'plain';
  readonly children: ComponentChildren;
}) {
  const text = JSON.stringify(names.map((name) => query[name] ?? ''));
  const drawn = useRef({ text, round: 0 });
  if (drawn.current.text !== text) drawn.current = { text, round: drawn.current.round + 1 };
  const send = (values: Values): void => {
    const sent = names.map((name) => [name, values[name] ?? ''] as const);
    drawn.current = { ...drawn.current, text: JSON.stringify(sent.map(([, value]) => value)) };
    change(Object.fromEntries(sent));
  };
  return (
    <Form key={drawn.current.round} inline submit={submit} tone={tone} send={send}>
      {children}
    </Form>
  );
}

/** The instant of a `datetime-local` field, which has no zone: the page says that it is UTC. */
export function instantIn(text: string): string {
  return `${text}${text.length === 'YYYY-MM-DDTHH:MM'.length ? ':00' : ''}Z`;
}

function valuesOf(form: HTMLFormElement): Values {
  const entries = [...new FormData(form)].flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [[name, text]];
  });
  const values: Record<string, string> = {};
  // Boxes of one name are a list with commas.
  for (const [name, text] of entries) values[name] = name in values ? `${values[name]},${text}` : text;
  return values;
}

type FieldProps = {
  readonly label: string;
  /** As the API names it. */
  readonly name: string;
  readonly hint?: string;
};

/** @param type of the input element */
export function Field({
  label,
  name,
  hint,
  wrong,
  type = 'text',
  value = '',
  required = false,
  wide = false,
  ...rest
}: FieldProps & {
  /** What is wrong with the value; read aloud when it appears. */
  readonly wrong?: string | undefined;
  readonly type?:
    | 'text'
    | 'number'
    | 'date'
    | 'datetime-local'
    | 'email'
    | 'url'
    | 'month'
    | 'password'
    | 'search'
    | 'time';
  readonly value?: string | number;
  readonly required?: boolean;
  /** Whether it has a row of its own in a form of one line. */
  readonly wide?: boolean;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: number | 'any';
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly onInput?: (event: { readonly currentTarget: HTMLInputElement }) => void;
}) {
  const { id, described, invalid } = useField(name, hint);
  const faultId = wrong === undefined ? undefined : `${id}-wrong`;
  // The types of Preact have one type of element for each of these.
  const oneOfTheTypes = type as 'text';
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={oneOfTheTypes}
        defaultValue={String(value)}
        required={required}
        aria-describedby={faultId ?? described}
        aria-invalid={faultId === undefined ? invalid : true}
        {...rest}
      />
      <Hint id={described} text={hint} />
      {wrong !== undefined && (
        <p id={faultId} class="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}

export function TextArea({
  label,
  name,
  hint,
  value = '',
  required = false,
  rows = 3,
}: FieldProps & {
  readonly value?: string;
  readonly required?: boolean;
  readonly rows?: number;
}) {
  const { id, described, invalid } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        required={required}
        aria-describedby={described}
        aria-invalid={invalid}
        defaultValue={value}
      />
      <Hint id={described} text={hint} />
    </div>
  );
}

export type Choice = { readonly value: string; readonly title: string };

/** @param none the title of no choice, if there is one */
export function choicesOf(names: readonly string[], none?: string): Choice[] {
  const choices = names.map((name) => ({ value: name, title: name }));
  return none === undefined ? choices : [{ value: '', title: none }, ...choices];
}

export function Select({
  label,
  name,
  hint,
  choices,
  value = '',
  onChange,
}: FieldProps & {
  readonly choices: readonly Choice[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}) {
  const { id, described, invalid } = useField(name, hint);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-describedby={described}
        aria-invalid={invalid}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.title}
          </option>
        ))}
      </select>
      <Hint id={described} text={hint} />
    </div>
  );
}

/** One box for each choice. */
export function Boxes({
  legend,
  name,
  choices,
  checked,
}: {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly checked: readonly string[];
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {choices.map(({ value, title }) => (
        <label key={value} class="box">
          <input type="checkbox" name={name} value={value} defaultChecked={checked.includes(value)} /> {title}
        </label>
      ))}
    </fieldset>
  );
}

function useField(name: string, hint: string | undefined) {
  const id = useId();
  const refusal = useContext(Refused);
  const invalid = new RegExp(`\\b${name}\\b`).test(refusal) ? true : undefined;
  return { id, described: hint === undefined ? undefined : `${id}-hint`, invalid };
}

function Hint({ id, text }: { readonly id: string | undefined; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p id={id} class="soft hint">
      {text}
    </p>
  );
}
