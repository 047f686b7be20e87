import type { Failure } from './rest.ts';

/** What a refusal's advice depends on: what is to be known before a repetition, and which arguments the tool takes. */
type Called = { readonly repeating: string; readonly takes: readonly string[] };

/** A refusal as a text for an agent: what is wrong, then what to do, then what could be had instead. */
export function refusalText(failure: Failure, called: Called): string {
  const { code, error, details, alternatives } = failure;
  return [
    `${code}: ${error}`,
    ...(details === '' || details === error ? [] : [details]),
    `What to do: ${whatToDo(failure, called)}`,
    ...(alternatives.length === 0 ? [] : [`Alternatives: ${JSON.stringify(alternatives)}`]),
  ].join('\n');
}

/** Nobody answered: the service is stopped or cannot be reached, or took too long. */
export function noAnswerText(reason: string, repeating: string): string {
  const advice = sentences(
    'call the tool again with the same arguments after a few seconds.',
    repeating,
    'If it does not answer then either, tell the user that the service has to be started (waymark serve) or its address set in WAYMARK_URL.',
  );
  return `NO_ANSWER: The Waymark service did not answer (${reason}).\nWhat to do: ${advice}`;
}

/** Something answered that is not Waymark, or a Waymark that this program does not understand. */
export function notWaymarkText(status: number): string {
  return [
    `UNEXPECTED_ANSWER: What answered (status ${status}) is not a Waymark service that this tool server understands.`,
    'What to do: do not repeat the call; tell the user to check WAYMARK_URL and the versions of both.',
  ].join('\n');
}

function whatToDo(
  { code, resolution, alternatives, retryAfterSeconds }: Failure,
  { repeating, takes }: Called,
): string {
  // The key is nothing that an agent could send: it stands in the configuration of its client.
  if (code === 'MISSING_API_KEY' || code === 'INVALID_API_KEY') {
    return 'do not repeat the call; tell the user to set the API key in the configuration of the MCP client: the header x-api-key over HTTP, the variable WAYMARK_API_KEY for waymark mcp.';
  }
  switch (resolution) {
    case 'fix_request':
      // The service's texts name all that it takes; the tool takes less.
      return `correct what is named above and call the tool again. It takes ${takes.join(', ')}, and nothing else.`;
    case 'choose_other':
      return alternatives.length > 0
        ? 'offer the user one of the alternatives below, and call the tool again with it.'
        : 'offer the user something else: another activity, another date or fewer conditions.';
    case 'retry_later': {
      const after =
        retryAfterSeconds === null
          ? 'later'
          : `after ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`;
      return sentences(`call the tool again with the same arguments ${after}.`, repeating);
    }
    default:
      return 'do not repeat the call; tell the user what is said above: only the operator of the service can change it.';
  }
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
