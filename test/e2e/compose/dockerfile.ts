import { readSource } from '../../support/files.ts';

/** One instruction of the Dockerfile: its name in capitals, and what follows it, continuation lines joined. */
export type Instruction = { readonly name: string; readonly text: string };

/** The stages in order, each beginning with its FROM. */
export function stagesOf(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === 'FROM') stages.push([]);
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${instruction.name} stands before any FROM`);
    stage.push(instruction);
  }
  return stages;
}

/** The two stages of the Dockerfile: the one that installs, and the image. */
export function dockerfile(): { readonly packages: Instruction[]; readonly image: Instruction[] } {
  const [packages, image, ...others] = stagesOf(readSource('Dockerfile'));
  if (packages === undefined || image === undefined || others.length > 0) throw new Error('there are not two stages');
  return { packages, image };
}

/** What follows each instruction of this name. */
export function all(stage: readonly Instruction[], name: string): string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** What follows the only instruction of this name. */
export function only(stage: readonly Instruction[], name: string): string {
  const [text, ...others] = all(stage, name);
  if (text === undefined || others.length > 0) throw new Error(`there is not exactly one ${name}`);
  return text;
}

/** ENV and LABEL: `NAME=value` and `name="value"`, separated by spaces. */
export function pairsOf(text: string): Record<string, string> {
  const pairs = text.matchAll(/(?<name>[\w.]+)=(?:"(?<quoted>[^"]*)"|(?<bare>\S+))/g);
  return Object.fromEntries([...pairs].map(({ groups }) => [groups?.['name'], groups?.['quoted'] ?? groups?.['bare']]));
}

/** `COPY source… target`, flags left out. */
export function copyOf(text: string): { readonly sources: string[]; readonly target: string } {
  const words = text.split(/\s+/).filter((word) => !word.startsWith('--'));
  return { sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}

/** The exec form, `["program", "argument"]`: no shell stands between the engine and the program, and swallows signals. */
export function execForm(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`not in exec form: ${text}`);
  return words.map(String);
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, '');
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    return { name, text: rest };
  });
}
