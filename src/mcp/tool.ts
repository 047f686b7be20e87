import type { CallToolResult, ToolAnnotations, Tool as ToolDescription } from '@modelcontextprotocol/sdk/types.js';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { unknownName } from '../domain/unknown-name.ts';
import { noAnswerText, notWaymarkText, refusalText } from './error-text.ts';
import type { RestConnection, RestFailure, RestOutcome, RestRequest } from './rest.ts';

/** The unvalidated arguments of a call. The REST API validates their values; `tool` refuses unknown names. */
export type Arguments = Readonly<Record<string, unknown>>;

export type Tool = {
  readonly description: ToolDescription;
  call(args: Arguments, rest: RestConnection): Promise<CallToolResult>;
};

/** All hints are required, because clients apply a default for a missing one. */
export type Hints = Required<Omit<ToolAnnotations, 'title'>>;

/** The sentence of each unknown argument takes microseconds. */
const MAX_NAMED = 10;

type ToolDefinition<Output extends TSchema> = {
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
  /** Shown to clients; not used for validation. */
  readonly input: TObject;
  /** An object. Later versions can add fields. */
  readonly output: Output;
  readonly hints: Hints;
  /** Objects in which the REST API nests the flat arguments; the prefixes are removed from its error texts. */
  readonly nestedUnder?: readonly string[];
  readonly request: (args: Arguments) => RestRequest;
  /** Builds the structured answer; by default it is the data of the REST API. */
  readonly structured?: (data: object, replayed: boolean) => object;
  /** One or two sentences about the answer. */
  readonly summary: (answer: Static<Output>) => string;
  /** Whether repeating the call is safe; empty for tools that change nothing. */
  readonly repeatAdvice: string;
};

/**
 * A tool that makes one request to the REST API. A success has structured content, a summary, and the same JSON as text for
 * clients that do not support structured content. An error has a text that says what to do next, and the REST error in
 * `_meta` (docs/decisions/0024).
 */
export function tool<Output extends TSchema>(definition: ToolDefinition<Output>): Tool {
  const { name, title, purpose, input, output, hints, repeatAdvice } = definition;
  const parameters = Object.keys(input.properties);
  const fits = Compile(output);
  const flat = (sentence: string): string => flattened(sentence, definition.nestedUnder ?? []);
  const answerOf = (outcome: RestOutcome): CallToolResult => {
    switch (outcome.kind) {
      case 'data': {
        const data = definition.structured?.(outcome.data, outcome.replayed) ?? outcome.data;
        const interpreted = interpretedIn(data, flat);
        const answer = interpreted === null ? data : { ...data, interpreted };
        if (!fits.Check(answer)) return failed(notWaymarkText(200));
        const sentences = [definition.summary(answer), ...understoodText(interpreted ?? {})].join(' ');
        return {
          content: [text(sentences), text(JSON.stringify(answer))],
          structuredContent: { ...answer },
        };
      }
      case 'failure': {
        const { error, details } = outcome.failure;
        const failure = { ...outcome.failure, error: flat(error), details: flat(details) };
        return failed(refusalText(failure, { repeatAdvice, parameters }), {
          'waymark/failure': presentFailure(failure),
        });
      }
      case 'no-answer':
        return failed(noAnswerText(outcome.reason, repeatAdvice));
      default:
        return failed(notWaymarkText(outcome.status));
    }
  };
  return {
    description: {
      name,
      title,
      description: purpose,
      inputSchema: { ...input, additionalProperties: false },
      outputSchema: outputSchemaOf(output),
      annotations: { title, ...hints },
    },
    call: async (args, rest) => {
      const unknown = unknownArguments(args, parameters);
      return answerOf(unknown === null ? await rest(definition.request(args)) : { kind: 'failure', failure: unknown });
    },
  };
}

const INTERPRETED = Type.Record(Type.String(), Type.Object({ given: Type.Unknown(), taken: Type.Unknown() }), {
  description: 'Arguments that were understood differently from how they were written; absent if there are none.',
});

/** With the member that every answer can have. */
function outputSchemaOf(output: TSchema) {
  const properties = 'properties' in output && typeof output.properties === 'object' ? output.properties : {};
  return { ...output, type: 'object' as const, properties: { ...properties, interpreted: INTERPRETED } };
}

const hasInterpreted = Compile(Type.Object({ interpreted: INTERPRETED }));

/** The answer's `interpreted` by the names of the tool's arguments; null without one. */
function interpretedIn(data: object, flat: (path: string) => string): Static<typeof INTERPRETED> | null {
  if (!hasInterpreted.Check(data)) return null;
  return Object.fromEntries(Object.entries(data.interpreted).map(([path, found]) => [flat(path), found]));
}

function understoodText(interpreted: Static<typeof INTERPRETED>): readonly string[] {
  const found = Object.entries(interpreted).map(
    ([name, { given, taken }]) => `${name} ${JSON.stringify(given)} as ${JSON.stringify(taken)}`,
  );
  return found.length === 0 ? [] : [`Understood: ${found.join(', ')}.`];
}

/**
 * The refusal of arguments that the tool does not have, in the words of the REST API; null without one. The REST API may have
 * fields of these names, so the tool refuses them itself.
 */
function unknownArguments(args: Arguments, parameters: readonly string[]): RestFailure | null {
  const unknown = Object.keys(args).filter((name) => !parameters.includes(name));
  const sentences = unknown.slice(0, MAX_NAMED).map((name) => unknownName('field', '', name, parameters));
  const [error] = sentences;
  if (error === undefined) return null;
  const details = sentences.join(' ');
  const refused = { code: 'INVALID_REQUEST', resolution: 'fix_request', retryable: false };
  return { ...refused, error, details, alternatives: [], retryAfterSeconds: null };
}

/** The arguments with these names, without null values. */
export function sent(args: Arguments, names: readonly string[]): Arguments {
  const given: Record<string, unknown> = {};
  for (const name of names) if ((args[name] ?? null) !== null) given[name] = args[name];
  return given;
}

/** The error in the format of the REST API, plus the value of its Retry-After header. */
function presentFailure({ code, error, details, resolution, retryable, alternatives, retryAfterSeconds }: RestFailure) {
  const required = { error, code, details, retryable, resolution };
  const offered = alternatives.length === 0 ? {} : { alternatives };
  return { ...required, ...offered, ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }) };
}

function failed(sentences: string, meta?: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [text(sentences)], ...(meta && { _meta: meta }) };
}

function text(sentences: string): { type: 'text'; text: string } {
  return { type: 'text', text: sentences };
}

function flattened(sentence: string, nestedUnder: readonly string[]): string {
  return nestedUnder.reduce((flat, name) => flat.replaceAll(`${name}.`, ''), sentence);
}
