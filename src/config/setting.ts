/** One declared setting: an environment variable, what it accepts and what it means. Its texts are Markdown. */
export type Setting<Value> = Format<Value> & {
  readonly name: string;
  readonly meaning: string;
  /** The value when the variable is unset or empty. */
  readonly whenUnset: Value;
  readonly default: string;
  /** A page under docs/ with the details; null: none. */
  readonly see: string | null;
};

/** What values look like, and how they are read. */
export type Format<Value> = {
  /** With bounds and unit. */
  readonly accepts: string;
  /** True if a value is a secret or can contain one. A fault never shows such a value. */
  readonly secret: boolean;
  readonly parse: (text: string) => Parsed<Value>;
};

/** `fault` continues the sentence that begins with the setting's name. */
export type Parsed<Value> = { readonly value: Value } | { readonly fault: string };

/** @param defaultText read like a value that is set; empty if "nothing" is a value of the format */
export function setting<Value>(
  name: string,
  format: Format<Value>,
  defaultText: string,
  meaning: string,
  see: string | null = null,
): Setting<Value> {
  const parsed = format.parse(defaultText);
  if ('fault' in parsed) throw new Error(`the default of ${name} ${parsed.fault}`);
  const shown = defaultText === '' ? 'none' : `\`${defaultText}\``;
  return { ...format, name, meaning, whenUnset: parsed.value, default: shown, see };
}

/** A setting that is null when unset. @param unset what the service does then */
export function optional<Value>(
  name: string,
  format: Format<Value>,
  unset: string,
  meaning: string,
  see: string | null = null,
): Setting<Value | null> {
  return { ...format, name, meaning, whenUnset: null, default: unset, see };
}
