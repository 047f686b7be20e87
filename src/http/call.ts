import type { status } from 'elysia';
import { admitPastQuota, type UsageAt } from '../application/key/admit-key.ts';
import type { KnownKey } from '../application/key/authenticate.ts';
import type { Refusal, Refused } from '../application/refusal.ts';
import type { Session } from '../application/session/session.ts';
import type { Cause, PositionForm } from '../eventsourcing/message.ts';
import type { Usage } from '../ports/rate-limiter.ts';
import type { RequestOutcome } from '../ports/request-statistics.ts';
import { type Access, type Admission, type Caller, isRead } from './admission.ts';
import type { Failure, FailureStatus, Success } from './answers.ts';
import type { HttpContext } from './context.ts';
import { GUARDED, type Headers, successResponse } from './envelope.ts';
import { failureAnswer } from './failure-page-response.ts';
import { internalError, logUnavailable, unavailableFor } from './faults.ts';
import type { Interpreted } from './interpretation.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { RefusedEarly } from './refused-early.ts';
import { sessionCookie } from './session/cookie.ts';

/** How Elysia types an answer with the error envelope. */
type FailureAnswer<S = FailureStatus> = S extends FailureStatus ? ReturnType<typeof status<S, Failure>> : never;

/** Data, and headers of the answer. */
type Reply<Data = object> = Success<Data> & { readonly headers?: Headers };

/** The audit of one request: an act before its handler and again before its answer, a read of guests' data before its answer. */
export type AuditTrail = {
  /** @param data of a success; null for a refusal or fault. Returns the answer to send instead of `response`. */
  end(response: Response, data: object | null): Promise<Response>;
};

type RoutedRequest = {
  readonly request: Request;
  /** The `operationId` of the route. */
  readonly operation: string;
  /** The path pattern of the route. Logs show it instead of the real path: a voucher's path contains a secret. */
  readonly route: string;
};

/** One request from its arrival to its answer. It counts each answer to a known key, except what the key's dashboard reads, in the request statistics. */
export class Call {
  readonly requestId: string;
  readonly request: Request;
  caller: Caller = null;
  /** By which the caller was admitted; null: by a header, or nobody. */
  session: Session | null = null;
  key: KnownKey | null = null;
  /** The remaining quota of the key's plan after this request; null if the request is not counted. */
  usage: UsageAt | null = null;
  /** The refusal for a key over its quota, on a route with `repeatsPastQuota`; see `pastQuota`. */
  overQuota: Refused | null = null;
  /** Null if the request is not audited, or before its handler. */
  audit: AuditTrail | null = null;
  /** The error code of the answer; null before it, and for a success. */
  refusalCode: string | null = null;
  readonly #routed: RoutedRequest;
  readonly #context: HttpContext;
  readonly #beganMs: number;
  #by = 'anybody';
  /** Whether the answer prolongs the session. */
  #renews = true;
  #interpreted: Interpreted | null = null;

  constructor(routed: RoutedRequest, context: HttpContext) {
    this.#routed = routed;
    this.#context = context;
    this.#beganMs = context.clock.nowMs();
    this.request = routed.request;
    this.requestId = requestIdOf(routed.request, context);
  }

  /** Stores the caller, whose key may be known in a refusal too. Returns the refusal if it ends the request. */
  identify(admission: Admission, demand: Access): Refused | null {
    this.key = admission.key;
    this.usage = admission.usage;
    if (admission.kind === 'admitted') {
      this.#by = admission.by;
      this.caller = admission.caller;
      this.session = admission.session;
      this.#renews = demand.by !== 'session' || demand.renews !== false;
      return null;
    }
    if (!(admission.overQuota && demand.by === 'key' && demand.repeatsPastQuota === true)) return admission;
    this.overQuota = admission;
    return null;
  }

  /** Returns the value of a read request, and keeps its interpretations for the answer. */
  understood<T>({ value, interpreted }: { readonly value: T; readonly interpreted: Interpreted | null }): T {
    if (interpreted !== null) this.#interpreted = { ...this.#interpreted, ...interpreted };
    return value;
  }

  /** The `operationId` of the route. */
  get operation(): string {
    return this.#routed.operation;
  }

  /** Neither the plan nor the statistics of a key count what its pages load. */
  get #isDashboardRead(): boolean {
    return this.session !== null && isRead(this.request);
  }

  /** The metadata of the events that the request causes. */
  get cause(): Cause {
    const at = new Date(this.#context.clock.nowMs()).toISOString();
    return { correlationId: this.requestId, causationId: null, by: this.#by, at };
  }

  /** The client's address; null if unknown. */
  get address(): string | null {
    return this.#context.addressOf(this.request);
  }

  /**
   * Returns the outcome that the same request committed before, else the refusal (docs/decisions/0021). A returned
   * outcome counts against the minute limit.
   *
   * @throws if the key is not over its quota
   */
  async pastQuota<T extends object>(committed: T | null): Promise<T | Refused> {
    const { key, overQuota } = this;
    if (key === null || overQuota === null) throw new Error('the key is not over its quota');
    if (committed === null) return overQuota;
    const admission = await admitPastQuota(key, this.#context);
    this.usage = admission.usage;
    return admission.kind === 'refused' ? admission : committed;
  }

  /** The handler returns this for a refusal: the error envelope with the status of its code. */
  refuse(refused: Refused): FailureAnswer {
    // `answer` makes the response. Only the type is Elysia's, for typed clients.
    return refused as unknown as FailureAnswer;
  }

  /**
   * The handler returns this for the outcome of a use case: its refusal, or the data that `present` makes of it.
   *
   * @param headers of the answer, for example `commandHeaders`
   */
  reply<Outcome extends { readonly kind: string }, Data>(
    outcome: Outcome | Refused,
    present: (outcome: Outcome) => Data,
    headers: (outcome: Outcome, positions: PositionForm) => Headers = () => ({}),
  ): Success<Data> | FailureAnswer {
    if (isRefused(outcome)) return this.refuse(outcome);
    const reply: Reply<Data> = {
      success: true,
      data: present(outcome),
      headers: headers(outcome, this.#context.positions),
    };
    return reply;
  }

  /**
   * Builds the answer from the handler's result: data, a refusal, or a finished response (images, pages).
   *
   * @throws for any other result, which the handler's type forbids
   */
  answer(result: unknown): Response {
    if (result instanceof Response) return this.#sent(withHeaders(result, this.#headers()));
    if (!isResult(result)) throw new Error('a handler returned no data');
    if ('refusal' in result) return this.answerRefusal(result.refusal);
    const data = this.#interpreted === null ? result.data : { ...result.data, interpreted: this.#interpreted };
    return this.#sent(successResponse(data, { ...this.#headers(), ...result.headers }, this.request));
  }

  /** Builds the answer of a request that may be audited, and records it. */
  async answerAudited(result: unknown): Promise<Response> {
    const response = this.answer(result);
    const data = isResult(result) && 'data' in result ? result.data : null;
    return this.#endAudit(response, data);
  }

  /** Builds the answer to a refusal or fault of a request that may be audited, and records it. */
  async answerAuditedFault(fault: unknown): Promise<Response> {
    return this.#endAudit(this.answerThrown(fault), null);
  }

  /** Answers what a macro, a schema or the handler threw. */
  answerThrown(thrown: unknown): Response {
    return thrown instanceof RefusedEarly ? this.answerEarly(thrown.refused) : this.answerFault(thrown);
  }

  /** Ends the audit once, also if its end fails. */
  async #endAudit(response: Response, data: object | null): Promise<Response> {
    const { audit } = this;
    this.audit = null;
    return audit === null ? response : audit.end(response, data);
  }

  answerRefusal(refusal: Refusal): Response {
    this.refusalCode = refusal.code;
    const response = this.#sent(failureAnswer(refusal, this.#headers(), this.request, this.#context));
    if (refusal.code === 'SERVICE_UNAVAILABLE') this.#logUnavailable(refusal);
    return response;
  }

  /** Answers a refusal before the handler. For a key over its quota, the quota is the reason. */
  answerEarly(refused: Refused): Response {
    return this.answerRefusal((this.overQuota ?? refused).refusal);
  }

  /** Answers a fault with 503 if the same request can succeed later, else with 500; logs it once. */
  answerFault(fault: unknown): Response {
    const { operation } = this.#routed;
    const unavailable = unavailableFor(fault, operation);
    if (unavailable !== null) return this.answerRefusal(unavailable.refusal);
    this.#context.log.error('request failed', { requestId: this.requestId, endpoint: operation, fault });
    return this.answerRefusal(internalError(this.requestId));
  }

  #headers(): Headers {
    const headers = headersOf(this.requestId, this.usage);
    if (this.session === null || !this.#renews) return headers;
    return { ...headers, ...sessionCookie(this.session, this.request, this.#context) };
  }

  #sent(response: Response): Response {
    if (this.key !== null && !this.#isDashboardRead)
      this.#context.requestStatistics.note(this.key.keyId, this.#routed.operation, outcomeOf(response.status));
    return response;
  }

  #logUnavailable(refusal: Refusal): void {
    const { operation, route } = this.#routed;
    const by = this.key === null ? {} : { keyId: this.key.keyId };
    const requestMs = this.#context.clock.nowMs() - this.#beganMs;
    const asked = { requestId: this.requestId, endpoint: operation, method: this.request.method, path: route };
    logUnavailable(refusal, { ...asked, ...by, requestMs }, this.#context.log);
  }
}

/** The request id that the caller sent if it is valid, else a new one. */
export function requestIdOf(request: Request, { ids }: Pick<HttpContext, 'ids'>): string {
  const sent = request.headers.get('x-request-id');
  return sent !== null && /^[\w.:-]{1,128}$/.test(sent) ? sent : ids.uuid();
}

function isRefused(outcome: { readonly kind: string }): outcome is Refused {
  return outcome.kind === 'refused';
}

function outcomeOf(answered: number): RequestOutcome {
  if (answered >= 500) return 'failed';
  return answered >= 400 ? 'refused' : 'ok';
}

function headersOf(requestId: string, usage: Usage | null): Headers {
  const id = { 'x-request-id': requestId };
  return usage === null ? id : { ...id, ...rateLimitHeaders(usage) };
}

/** Adds headers to a finished response. A route may override the `GUARDED` headers. */
function withHeaders(response: Response, headers: Headers): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  for (const [name, value] of Object.entries(GUARDED))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

function isResult(result: unknown): result is Refused | Reply {
  if (typeof result !== 'object' || result === null) return false;
  return 'refusal' in result || ('data' in result && typeof result.data === 'object' && result.data !== null);
}
