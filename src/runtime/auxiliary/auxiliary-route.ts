import { changeCredential, newCredentialAttempts } from '../../agent/index.ts';
import {
  attachmentsOf,
  type Clock,
  ModelError,
  type ModelErrorKind,
  type ModelFailure,
  startTimer,
} from '../../base/index.ts';
import {
  canRead,
  DEFAULT_OUTPUT_LIMIT,
  type ModelAnswer,
  type ModelRequest,
  type ModelRoute,
  type ParameterChange,
  type RouteSource,
} from '../../contracts/index.ts';
import { backOffDelay } from '../../util/index.ts';

/** A request for an auxiliary task. */
export type Question = Pick<ModelRequest, 'system' | 'messages' | 'blobs' | 'maxOutputTokens'> &
  Partial<Pick<ModelRequest, 'tools'>>;

export type RouteAnswer = { answer: ModelAnswer; route: ModelRoute; startedAt: number; durationMs: number };

/** One model of a task's route chain, with what was learned about it. */
export interface AuxiliaryRoute {
  /** `provider/model`, for messages. */
  readonly name: string;
  /** The model failed in a way that a retry cannot fix. */
  isUnusable(): boolean;
  ask(question: Question, limits: { signal: AbortSignal; timeoutMs: number }): Promise<RouteAnswer>;
}

const BACK_OFF = { baseMs: 1_000, maxMs: 2_000 };
/** Maximum retry-after. If the provider asks for a longer wait, the next model of the chain is tried instead. */
const MAX_WAIT_MS = 5_000;
const PERMANENT_KINDS: readonly ModelErrorKind[] = ['model_not_found', 'auth', 'auth_permanent', 'billing'];

/** Calls one model. Modifies the request if that is known to help, and retries once if the failure may be transient. */
export function createAuxiliaryRoute(
  source: RouteSource,
  { clock, random }: { clock: Clock; random?: () => number },
): AuxiliaryRoute {
  const lessons = createLearnedFacts();
  let opened: ModelRoute | undefined;
  let useless = false;

  async function askOnce(question: Question, signal: AbortSignal, timeoutMs: number): Promise<RouteAnswer> {
    opened ??= await source.open(clock);
    const route = opened;
    assertReadable(route, question);
    const [startedAt, elapsed] = [clock.now(), startTimer(clock)];
    const { tools = [] } = question;
    const toolChoice = tools.length === 0 ? 'none' : 'auto';
    const maxOutputTokens = lessons.limitOutput(findOutputLimit(route, question));
    const request: ModelRequest = { ...question, ...lessons.apply(), maxOutputTokens, tools, toolChoice };
    const answer = await withTimeout(clock, timeoutMs, signal, (limited) =>
      route.client.stream(request, { signal: limited, onEvent: () => undefined }),
    );
    return { answer, route, startedAt, durationMs: elapsed() };
  }

  return {
    name: `${source.provider}/${source.model}`,
    isUnusable: () => useless,
    async ask(question, { signal, timeoutMs }) {
      const tries = newCredentialAttempts();
      for (let repeated = false; ; ) {
        try {
          return await askOnce(question, signal, timeoutMs);
        } catch (thrown) {
          signal.throwIfAborted();
          const failure = thrown instanceof ModelError ? thrown.failure : undefined;
          const sentLimit = opened && lessons.limitOutput(findOutputLimit(opened, question));
          if (failure !== undefined && lessons.learn(failure, sentLimit)) continue;
          const pool = failure?.rotateCredential ? opened?.credentials : undefined;
          if (failure && pool && (await changeCredential(pool, failure, { tries, now: clock.now() })).changed) continue;
          if (failure === undefined || repeated || !isTransient(failure)) {
            useless = failure === undefined || PERMANENT_KINDS.includes(failure.kind);
            throw thrown;
          }
          repeated = true;
          await clock.sleep(failure.retryAfterMs ?? backOffDelay(1, BACK_OFF, random), signal);
        }
      }
    },
  };
}

/** Skips a model that cannot read the attachments of this request; it can still be used for others. */
function assertReadable(route: ModelRoute, { messages }: Question): void {
  const attached = messages.flatMap(attachmentsOf);
  const unreadable = attached.find(({ kind }) => !canRead(route, kind));
  if (unreadable === undefined) return;
  const message = `it cannot read files such as ${unreadable.name} (${unreadable.mediaType})`;
  const helps = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
  throw new ModelError({ kind: 'attachment_unsupported', message, ...helps });
}

/** The limit of the task, or that of the model if it is lower or if requests must contain one. */
function findOutputLimit(route: ModelRoute, { maxOutputTokens: asked }: Question): number | undefined {
  if (asked === undefined && route.client.outputLimit !== 'required') return undefined;
  const known = route.facts?.outputLimit;
  return asked === undefined ? (known ?? DEFAULT_OUTPUT_LIMIT) : Math.min(asked, known ?? Infinity);
}

function isTransient({ retryable, retryAfterMs = 0 }: ModelFailure): boolean {
  return retryable && retryAfterMs <= MAX_WAIT_MS;
}

/**
 * Remembers what a provider refused, so that it is not sent again. Each refusal is handled once, so modifying the
 * request always ends.
 */
function createLearnedFacts() {
  const parameterChanges: ParameterChange[] = [];
  let stream = true;
  let loweredLimit: number | undefined;
  return {
    /** The output limit to send, lowered after a refusal. */
    limitOutput: (wanted: number | undefined) =>
      wanted === undefined ? loweredLimit : Math.min(wanted, loweredLimit ?? Infinity),
    apply: () => ({ stream, parameterChanges: [...parameterChanges] }),
    /** Returns whether the request has changed. */
    learn({ kind, parameter, outputRefusal: refusal }: ModelFailure, sentLimit: number | undefined): boolean {
      const refused = sentLimit ?? refusal?.requested;
      if (refusal && refusal.reason !== 'window' && refused !== undefined && loweredLimit === undefined) {
        loweredLimit = Math.max(1, Math.min(Math.floor(refused / 2), refusal.accepted ?? Infinity));
        return true;
      }
      if (kind === 'stream_refused' && stream) {
        stream = false;
        return true;
      }
      const isNew = parameter !== undefined && !parameterChanges.some(({ name }) => name === parameter.name);
      if (kind !== 'unsupported_parameter' || !isNew) return false;
      parameterChanges.push(parameter);
      return true;
    },
  };
}

/** Aborts a call after the timeout of its task, independent of network timeouts. */
async function withTimeout<Value>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const [done, late] = [new AbortController(), new AbortController()];
  clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(timeoutError(timeoutMs)),
    () => undefined,
  );
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } finally {
    done.abort();
  }
}

/** Not retryable: the caller should not have to wait that long twice. */
function timeoutError(timeoutMs: number): ModelError {
  const message = `timed out after ${timeoutMs / 1000} s`;
  const helps = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
  return new ModelError({ kind: 'timeout', message, ...helps });
}
