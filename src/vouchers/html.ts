/** Text that is already HTML or SVG. Only `html` and `markup` make it, so that a plain string can never pass for it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose values are escaped for element content or a quoted attribute, unless they are markup. */
export function html(
  template: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  let text = template[0] ?? '';
  values.forEach((value, i) => {
    text += (typeof value === 'object' ? joined(value) : escapeHtml(String(value))) + (template[i + 1] ?? '');
  });
  return new Markup(text);
}

/** Markup that was made elsewhere, with nothing in it that came from outside unescaped. */
export function markup(text: string): Markup {
  return new Markup(text);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function joined(value: Markup | readonly Markup[]): string {
  return value instanceof Markup ? value.toString() : value.join('');
}
