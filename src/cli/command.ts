import { parseArgs } from 'node:util';
import type { Setting } from '../config/setting.ts';
import { ALL_SETTINGS } from '../config.ts';
import { didYouMean } from '../domain/nearest-name.ts';
import { unknownSettings } from './unknown-settings.ts';

/** What a command declares. Its help, docs/cli.md and the check of its arguments are made from this. Texts are Markdown. */
export type Declaration<Declared extends Options> = {
  readonly name: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  /** What else a user has to know; one paragraph each. */
  readonly details: readonly string[];
  readonly arguments: readonly Argument[];
  readonly options: Declared;
  /** Names of the settings that the command reads; `all`: every one. */
  readonly settings: readonly string[] | 'all';
  readonly exitCodes: Readonly<Record<number, string>>;
  /** @returns the exit code of the process */
  readonly run: (given: Given<Declared>) => Promise<number>;
};

/** Must be given, unless `optional`. */
export type Argument = {
  readonly name: string;
  readonly meaning: string;
  readonly values: readonly string[];
  readonly optional?: true;
};

export type Options = Readonly<Record<string, Option>>;

/** `value` names the value in the help; an option of type `boolean` has none. */
export type Option =
  | { readonly type: 'string'; readonly value: string; readonly meaning: string }
  | { readonly type: 'boolean'; readonly short?: string; readonly meaning: string };

export type Given<Declared extends Options> = {
  readonly arguments: readonly string[];
  readonly options: { readonly [Name in keyof Declared]?: Declared[Name]['type'] extends 'string' ? string : boolean };
};

export type Command = Omit<Declaration<Options>, 'run'> & {
  /** @param args what follows the command's name */
  readonly run: (args: readonly string[]) => Promise<number>;
};

/** The exit code for arguments that cannot be used. */
export const USAGE_ERROR = 2;

/** Of every command. */
const HELP: Options = { help: { type: 'boolean', short: 'h', meaning: 'Prints this help.' } };

export function command<const Declared extends Options>(declared: Declaration<Declared>): Command {
  return {
    ...declared,
    async run(args) {
      const given = read(declared, args);
      if (given.kind === 'fault') return refuse(declared.name, given.fault);
      if (given.kind === 'help') {
        process.stdout.write(helpOf(declared));
        return 0;
      }
      const warnings = declared.settings.length === 0 ? [] : unknownSettings(process.env);
      for (const warning of warnings) process.stderr.write(`waymark: warning: ${warning}\n`);
      return declared.run(given.given);
    },
  };
}

/** Prints an error of a command's user. @returns the exit code */
export function refuse(name: string, fault: string): number {
  process.stderr.write(`waymark ${name}: ${fault}\n`);
  return USAGE_ERROR;
}

/** `waymark rebuild PROJECTION`, for instance. */
export function usageOf({ name, arguments: args, options }: Pick<Command, 'name' | 'arguments' | 'options'>): string {
  const shownArgs = args.map((argument) => (argument.optional ? `[${argument.name}]` : argument.name));
  const shownOptions = Object.keys(options).map((option) => `[${shownOption(option, options)}]`);
  return ['waymark', name, ...shownArgs, ...shownOptions].join(' ');
}

export function shownOption(name: string, options: Options): string {
  const option = options[name];
  return option?.type === 'string' ? `--${name} ${option.value}` : `--${name}`;
}

/** The settings that a command reads, in the order of the table. @throws if it names one that does not exist */
export function settingsOf({ name, settings }: Pick<Command, 'name' | 'settings'>): readonly Setting<unknown>[] {
  if (settings === 'all') return ALL_SETTINGS;
  const unknown = settings.filter((setting) => !ALL_SETTINGS.some((known) => known.name === setting));
  if (unknown.length > 0) throw new Error(`waymark ${name} names settings that do not exist: ${unknown.join(', ')}`);
  return ALL_SETTINGS.filter((setting) => settings.includes(setting.name));
}

/** Two columns below a heading; empty if there are no rows. */
export function columns(title: string, rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(
    ([name, text]) => `  ${name.padEnd(width)}  ${plain(text).replaceAll('\n', `\n${' '.repeat(width + 4)}`)}\n`,
  );
  return lines.length === 0 ? '' : `\n${title}:\n${lines.join('')}`;
}

type Read<Declared extends Options> =
  | { readonly kind: 'given'; readonly given: Given<Declared> }
  | { readonly kind: 'help' }
  | { readonly kind: 'fault'; readonly fault: string };

function read<Declared extends Options>(declared: Declaration<Declared>, args: readonly string[]): Read<Declared> {
  const options: Options = { ...declared.options, ...HELP };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values['help'] === true) return { kind: 'help' };
    const fault = faultOf(declared.arguments, positionals);
    if (fault !== null) return { kind: 'fault', fault };
    // Of the declared types: parseArgs checked them.
    return { kind: 'given', given: { arguments: positionals, options: values as Given<Declared>['options'] } };
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
    return { kind: 'fault', fault: unknownOption(args, options) ?? fault.message.split('\n')[0] ?? '' };
  }
}

/** Null if every option is known: then the arguments break another rule of parseArgs. */
function unknownOption(args: readonly string[], options: Options): string | null {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const names = Object.keys(options);
  const unknown = tokens.find((token) => token.kind === 'option' && !names.includes(token.name));
  if (unknown?.kind !== 'option') return null;
  const shown = names.map((name) => shownOption(name, options)).join(', ');
  return `there is no option "${unknown.rawName}"${didYouMean(unknown.name, names, '--')}; the options are ${shown}`;
}

function faultOf(declared: readonly Argument[], given: readonly string[]): string | null {
  const surplus = given[declared.length];
  if (surplus !== undefined) return `the argument "${surplus}" is one too many`;
  for (const [index, { name, values, optional }] of declared.entries()) {
    const value = given[index];
    if (value === undefined && optional) continue;
    if (value === undefined) return `the argument ${name} is missing; it must be one of ${values.join(', ')}`;
    if (!values.includes(value))
      return `${name} must be one of ${values.join(', ')}; it is "${value}"${didYouMean(value, values)}`;
  }
  return null;
}

function helpOf(declared: Omit<Command, 'run'>): string {
  const { summary, details, exitCodes } = declared;
  const options: Options = { ...declared.options, ...HELP };
  const sections = [
    columns(
      'Arguments',
      declared.arguments.map(({ name, meaning, values }) => [name, `${meaning} One of ${values.join(', ')}.`]),
    ),
    columns(
      'Options',
      Object.entries(options).map(([name, { meaning }]) => [shownOption(name, options), meaning]),
    ),
    columns(
      'Settings (environment variables)',
      settingsOf(declared).map((setting) => [
        setting.name,
        `${setting.meaning}\nValues: ${setting.accepts}. Default: ${setting.default}.`,
      ]),
    ),
    columns('Exit codes', Object.entries(exitCodes)),
  ];
  return `Usage: ${usageOf(declared)}\n\n${[summary, ...details].map(plain).join('\n\n')}\n${sections.join('')}`;
}

/** Markdown as a terminal shows it. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll('**', '');
}
