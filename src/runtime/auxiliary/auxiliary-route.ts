import { changeCredential, newCredentialTries } from '../../agent/index.ts';
import { type Clock, ModelError, type ModelErrorKind, type ModelFailure } from '../../base/index.ts';
import {
  canRead,
  type ModelAnswer,
  type ModelRequest,
  type ModelRoute,
  type ParameterChange,
  type RouteSource,
} from '../../contracts/index.ts';
import { backOffDelay } from '../../util/index.ts';

/** What is asked of a model that does one task beside the chat. */
export type Question = Pick<ModelRequest, 'system' | 'messages' | 'blobs' | 'maxOutputTokens'> &
  Partial<Pick<ModelRequest, 'tools'>>;

export type RouteAnswer = { answer: ModelAnswer; route: ModelRoute; startedAt: number; durationMs: number };

/** One model of a task's chain, with what was learnt about it. */
export interface AuxiliaryRoute {
  /** `provider/model`, for messages. */
  readonly name: string;
  /** It failed in a way that the next try cannot mend. */
  isUseless(): boolean;
  ask(question: Question, limits: { signal: AbortSignal; timeoutMs: number }): Promise<RouteAnswer>;
}

const BACK_OFF = { baseMs: 1_000, maxMs: 2_000 };
/** The next model is there already, so nobody waits long for this one. */
const MAX_WAIT_MS = 5_000;
const HOPELESS: readonly ModelErrorKind[] = ['model_not_found', 'auth', 'auth_permanent', 'billing'];

/** Asks one model: mends the request where that is known to help, and repeats it once where the failure may pass. */
export function createAuxiliaryRoute(
  source: RouteSource,
  { clock, random }: { clock: Clock; random?: () => number },
): AuxiliaryRoute {
  const lessons = createLessons();
  let opened: ModelRoute | undefined;
  let useless = false;

  async function askOnce(question: Question, signal: AbortSignal, timeoutMs: number): Promise<RouteAnswer> {
    opened ??= await source.open(clock);
    const route = opened;
    assertReadable(route, question);
    const startedAt = clock.now();
    const { tools = [] } = question;
    const toolChoice = tools.length === 0 ? 'none' : 'auto';
    const request: ModelRequest = { ...question, ...lessons.apply(), tools, toolChoice };
    const answer = await withTimeout(clock, timeoutMs, signal, (limited) =>
      route.client.stream(request, { signal: limited, onEvent: () => undefined }),
    );
    return { answer, route, startedAt, durationMs: clock.now() - startedAt };
  }

  return {
    name: `${source.provider}/${source.model}`,
    isUseless: () => useless,
    async ask(question, { signal, timeoutMs }) {
      const tries = newCredentialTries();
      for (let repeated = false; ; ) {
        try {
          return await askOnce(question, signal, timeoutMs);
        } catch (thrown) {
          signal.throwIfAborted();
          const failure = thrown instanceof ModelError ? thrown.failure : undefined;
          if (failure !== undefined && lessons.learn(failure)) continue;
          const pool = failure?.rotateCredential ? opened?.credentials : undefined;
          if (failure && pool && (await changeCredential(pool, failure, { tries, now: clock.now() })).changed) continue;
          if (failure === undefined || repeated || !isPassing(failure)) {
            useless = failure === undefined || HOPELESS.includes(failure.kind);
            throw thrown;
          }
          repeated = true;
          await clock.sleep(failure.retryAfterMs ?? backOffDelay(1, BACK_OFF, random), signal);
        }
      }
    },
  };
}

/** A model that is known not to read what it is asked about is not asked; for other questions it stays of use. */
function assertReadable(route: ModelRoute, { messages }: Question): void {
  const attached = messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
  const unreadable = attached.find(({ kind }) => !canRead(route, kind));
  if (unreadable === undefined) return;
  const message = `it does not read files such as ${unreadable.name} (${unreadable.mediaType})`;
  const helps = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
  throw new ModelError({ kind: 'attachment_unsupported', message, ...helps });
}

function isPassing({ retryable, retryAfterMs = 0 }: ModelFailure): boolean {
  return retryable && retryAfterMs <= MAX_WAIT_MS;
}

/** What a provider refused once is not sent again; each lesson is learnt once, so that mending comes to an end. */
function createLessons() {
  const parameterChanges: ParameterChange[] = [];
  let stream = true;
  return {
    apply: () => ({ stream, parameterChanges: [...parameterChanges] }),
    /** Whether the request is another one now. */
    learn({ kind, parameter }: ModelFailure): boolean {
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

/** Gives up on a call that takes too long. The time is that of the task, whatever the network does. */
async function withTimeout<Value>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const [done, late] = [new AbortController(), new AbortController()];
  clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(tookTooLong(timeoutMs)),
    () => undefined,
  );
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } finally {
    done.abort();
  }
}

/** Not worth another try: whoever waited that long once should not wait as long again. */
function tookTooLong(timeoutMs: number): ModelError {
  const message = `there was no whole answer within ${timeoutMs / 1000} s`;
  const helps = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
  return new ModelError({ kind: 'timeout', message, ...helps });
}
