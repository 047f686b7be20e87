import type { RestFailure } from './rest.ts';

/** What the tool adds to the advice: whether repeating the call is safe, and the names of its arguments. */
type Call = { readonly repeatAdvice: string; readonly parameters: readonly string[] };

/** A refusal as a text for an agent: the error, what to do, and the alternatives. */
export function refusalText(failure: RestFailure, call: Call): string {
  const { code, error, details, alternatives } = failure;
  return [
    `${code}: ${error}`,
    ...(details === '' || details === error ? [] : [details]),
    `What to do: ${adviceFor(failure, call)}`,
    ...(alternatives.length === 0 ? [] : [`Alternatives: ${JSON.stringify(alternatives)}`]),
  ].join('\n');
}

/** The service is stopped, cannot be reached, or took too long. */
export function noAnswerText(reason: string, repeatAdvice: string): string {
  const advice = sentences(
    'call the tool again with the same arguments after a few seconds.',
    repeatAdvice,
    'If it still does not answer, tell the user to start the service (waymark serve) or to set its address in WAYMARK_URL.',
  );
  return `NO_ANSWER: The Waymark service did not answer (${reason}).\nWhat to do: ${advice}`;
}

/** The response did not come from Waymark, or came from an incompatible version. */
export function notWaymarkText(status: number): string {
  return [
    `UNEXPECTED_ANSWER: The response (status ${status}) is not from a Waymark service, or from an incompatible version.`,
    'What to do: do not repeat the call; tell the user to check WAYMARK_URL and the versions of the tool server and the service.',
  ].join('\n');
}

function adviceFor(
  { code, resolution, alternatives, retryAfterSeconds }: RestFailure,
  { repeatAdvice, parameters }: Call,
): string {
  // An agent cannot send the key itself: it belongs in the configuration of the MCP client.
  if (code === 'MISSING_API_KEY' || code === 'INVALID_API_KEY') {
    return 'do not repeat the call; tell the user to set the API key in the configuration of the MCP client: the header x-api-key over HTTP, the variable WAYMARK_API_KEY for waymark mcp.';
  }
  // The correction is the user's money: the agent must not make it alone.
  if (code === 'PRICE_CHANGED') {
    return 'ask the user whether they agree to the total below; only if they do, call the tool again with it as expected_total.';
  }
  switch (resolution) {
    case 'fix_request':
      // The error of the REST API can name fields that the tool does not have.
      return `correct the arguments named above and call the tool again. It takes ${parameters.join(', ')}, and nothing else.`;
    case 'choose_other':
      return alternatives.length > 0
        ? 'offer the user one of the alternatives below, and call the tool again with it.'
        : 'offer the user something else: another activity, another date or fewer conditions.';
    case 'retry_later': {
      const after =
        retryAfterSeconds === null
          ? 'later'
          : `after ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`;
      return sentences(`call the tool again with the same arguments ${after}.`, repeatAdvice);
    }
    default:
      return 'do not repeat the call; show the user the error above: only the operator of the service can fix it.';
  }
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
