/** Text that is already HTML or SVG. A class, so that a plain string never passes unescaped. */
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

/** Escapes the template's values for element content and quoted attributes, except `Markup`. */
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

/** Trusts `text` as markup. It must not contain unescaped input. */
export function markup(text: string): Markup {
  return new Markup(text);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function joined(value: Markup | readonly Markup[]): string {
  return value instanceof Markup ? value.toString() : value.join('');
}
