/** A link of a Markdown document, as it is written, and the line it stands on. */
export type Link = { readonly target: string; readonly line: number };

/** Links and images, inline or by reference, outside code; those to other hosts included. */
export function markdownLinks(markdown: string): Link[] {
  const lines = withoutCode(markdown).split('\n');
  return lines.flatMap((text, index) => {
    const inline = text.matchAll(/\]\(\s*(?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+["'(][^)]*)?\s*\)/g);
    const references = text.matchAll(/^ {0,3}\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))/g);
    return [...inline, ...references].map((match) => ({ target: match[1] ?? match[2] ?? '', line: index + 1 }));
  });
}

/** Whether a link points at a file of the project, and not to another host or within its own page. */
export function isRelative(target: string): boolean {
  return target !== '' && !target.startsWith('#') && !target.startsWith('//') && !/^[a-z][a-z\d+.-]*:/i.test(target);
}

/** The last line that a `#L12` or `#L12-L20` names; `null` where there is none. */
export function lastLine(target: string): number | null {
  const [, from, to] = /#L(\d+)(?:-L(\d+))?$/.exec(target) ?? [];
  return from === undefined ? null : Number(to ?? from);
}

/** Fenced blocks and code spans, blanked line by line. */
function withoutCode(markdown: string): string {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');
  return markdown
    .replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ *\2[`~]*[^\S\n]*$|$(?![\s\S]))/gm, blank)
    .replaceAll(/(`+)(?!`)[^\n]*?[^`\n]?\1(?!`)/g, blank);
}
