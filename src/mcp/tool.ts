import type { CallToolResult, ToolAnnotations, Tool as ToolDescription } from '@modelcontextprotocol/sdk/types.js';
import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Ask, Failure, Outcome, Rest } from './rest.ts';
import { noAnswerText, notWaymarkText, refusalText } from './what-to-do.ts';

/** The arguments of a call as they came. The REST API checks them, so that its rules and texts are the only ones. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A tool as clients see it, and what a call of it does. */
export type Tool = {
  readonly description: ToolDescription;
  call(args: Arguments, rest: Rest): Promise<CallToolResult>;
};

/** Every hint is said: a missing one would be taken for its default. */
export type Hints = Required<Omit<ToolAnnotations, 'title'>>;

type Plan<Output extends TObject> = {
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
  /** What may be sent, for the client to read. */
  readonly input: TObject;
  /** What is answered; members may be added in later versions. */
  readonly output: Output;
  readonly hints: Hints;
  /** Names under which the REST API nests the flat arguments: its texts are told without them. */
  readonly nestedUnder?: readonly string[];
  readonly ask: (args: Arguments) => Ask;
  /** The structured answer, where it is more than the data of the REST API. */
  readonly structured?: (data: object, replayed: boolean) => object;
  /** One or two sentences for whoever reads no JSON. */
  readonly tell: (answer: Static<Output>) => string;
  /** What a caller has to know before it sends the same again; empty where there is nothing to it. */
  readonly repeating: string;
};

/**
 * A tool that is one request to the REST API. A success is structured content, a sentence, and the same JSON as text,
 * for clients that know no structured content. A refusal is an error whose text says what to do next, with the failure
 * itself in `_meta` (docs/decisions/0024).
 */
export function tool<Output extends TObject>(plan: Plan<Output>): Tool {
  const { name, title, purpose, input, output, hints, repeating } = plan;
  const shape: TObject = output;
  const fits = Compile(output);
  const answerOf = (outcome: Outcome): CallToolResult => {
    switch (outcome.kind) {
      case 'data': {
        const answer = plan.structured?.(outcome.data, outcome.replayed) ?? outcome.data;
        if (!fits.Check(answer)) return failed(notWaymarkText(200));
        return {
          content: [text(plan.tell(answer)), text(JSON.stringify(answer))],
          structuredContent: { ...answer },
        };
      }
      case 'failure': {
        const { error, details } = outcome.failure;
        const flat = (sentence: string): string => flattened(sentence, plan.nestedUnder ?? []);
        const failure = { ...outcome.failure, error: flat(error), details: flat(details) };
        return failed(refusalText(failure, { repeating, takes: Object.keys(input.properties) }), {
          'waymark/failure': presentFailure(failure),
        });
      }
      case 'no-answer':
        return failed(noAnswerText(outcome.reason, repeating));
      default:
        return failed(notWaymarkText(outcome.status));
    }
  };
  return {
    description: {
      name,
      title,
      description: purpose,
      inputSchema: { ...input },
      outputSchema: { ...shape },
      annotations: { title, ...hints },
    },
    call: async (args, rest) => answerOf(await rest(plan.ask(args))),
  };
}

/** The arguments with these names that were sent; null counts as not sent. */
export function sent(args: Arguments, names: readonly string[]): Arguments {
  const given: Record<string, unknown> = {};
  for (const name of names) if ((args[name] ?? null) !== null) given[name] = args[name];
  return given;
}

/** The failure as the REST API has it, with its Retry-After, which stands in a header there. */
function presentFailure({ code, error, details, resolution, retryable, alternatives, retryAfterSeconds }: Failure) {
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
  return nestedUnder.reduce((told, name) => told.replaceAll(`${name}.`, ''), sentence);
}
