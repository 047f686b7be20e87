import { lineOf, type Token, tokenize } from './tokens.ts';

/** One place where a module names another. `specifier` is null where it is computed, so that nobody can follow it. */
export type Import = { readonly specifier: string | null; readonly line: number };

/**
 * Every module that a source text names, type-only ones included, in the order of the text: `import … from`, bare
 * `import`, `export … from`, `import()` in expressions and in types, `require()`, and files named by
 * `new URL('./…', import.meta.url)` (a worker, an asset).
 */
export function scanImports(source: string): Import[] {
  const tokens = tokenize(source).filter((token) => token.kind !== 'comment');
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || isSign(tokens[index - 1], '.')) return [];
    const specifier = specifierAfter(tokens, index);
    return specifier === undefined ? [] : [{ specifier, line: lineOf(source, token.at) }];
  });
}

/** `undefined` where the word at `index` names no module. */
function specifierAfter(tokens: readonly Token[], index: number): string | null | undefined {
  const next = tokens[index + 1];
  switch (tokens[index]?.text) {
    case 'import':
      if (isSign(next, '(')) return argument(tokens, index + 2);
      return next?.kind === 'text' ? unquoted(next) : clause(tokens, index + 1);
    case 'export':
      return next?.text === 'type' ? exported(tokens, index + 2) : exported(tokens, index + 1);
    case 'require':
      return isSign(next, '(') ? argument(tokens, index + 2) : undefined;
    case 'URL':
      return isSign(next, '(') ? besideThisModule(tokens, index + 2) : undefined;
    default:
      return undefined;
  }
}

/** What stands between `import` and its specifier is names, braces, commas and a star; anything else is no import. */
function clause(tokens: readonly Token[], from: number): string | undefined {
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind === 'text' && tokens[index - 1]?.text === 'from') return unquoted(token);
    if (token?.kind === 'sign' && !'{},*'.includes(token.text)) return undefined;
  }
  return undefined;
}

function exported(tokens: readonly Token[], from: number): string | undefined {
  if (isSign(tokens[from], '*')) return clause(tokens, from);
  if (!isSign(tokens[from], '{')) return undefined;
  const end = tokens.findIndex((token, index) => index > from && isSign(token, '}'));
  const specifier = tokens[end + 2];
  return tokens[end + 1]?.text === 'from' && specifier?.kind === 'text' ? unquoted(specifier) : undefined;
}

function argument(tokens: readonly Token[], at: number): string | null {
  const [literal, after] = [tokens[at], tokens[at + 1]];
  return literal !== undefined && isLiteral(literal) && (isSign(after, ')') || isSign(after, ','))
    ? unquoted(literal)
    : null;
}

/** Only where the second argument says that the path is meant from this module, and it names a file, not a folder. */
function besideThisModule(tokens: readonly Token[], at: number): string | undefined {
  const [literal, comma, module] = tokens.slice(at, at + 3);
  if (literal === undefined || !isLiteral(literal) || !isSign(comma, ',') || module?.text !== 'import')
    return undefined;
  return /(^|\/)\.{0,2}$/.test(unquoted(literal)) ? undefined : unquoted(literal);
}

function isLiteral(token: Token): boolean {
  return token.kind === 'text' || (token.kind === 'template' && /^`[^$]*`$/.test(token.text));
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.text === sign;
}

function unquoted(token: Token): string {
  return token.text.slice(1, -1);
}
