import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type Clock, HermesError } from '../../base/index.ts';
import type { ApiStore, SessionRecord } from '../../contracts/index.ts';
import { openConversation } from '../../conversations/index.ts';
import { type AgentBlueprint, findSession, type Runtime } from '../../runtime/index.ts';
import { isInside } from '../../util/index.ts';
import { toForm } from './elicitation.ts';
import { createRunningAsk, type RunningAsk } from './running-ask.ts';
import { isUser, type McpCaller, type McpKey, type ServedCall, type ServedResult } from './served-parts.ts';
import { describeResult } from './tools/ask.ts';
import { bindSession, isVisible } from './visible-sessions.ts';

export type AskArguments = { prompt: string; session?: string | undefined; cwd?: string | undefined };

/** The turns that clients started. */
export interface Asks {
  call(args: AskArguments, call: ServedCall): Promise<ServedResult>;
  /** Interrupts all turns, and waits until they are stored. */
  close(): Promise<void>;
}

const ASK_PROMPT =
  'Another program asks you over MCP and reads only your final answer, so put everything that it needs to know into it.';
/** How many turns run at the same time. More are refused: their clients could do nothing but wait. */
const MAX_RUNNING = 10;
/** How long the result of a turn is kept whose client has not come back for it. */
const KEPT_MS = 10 * 60_000;

/** What the keys of callers over HTTP limit. */
export type KeyLimits = {
  /** Throws if the key has reached its spending limit, or if the price of a model is unknown. */
  checkBudget(key: McpKey, query: { store: ApiStore; now: number; routes: AgentBlueprint['routes'] }): Promise<void>;
  /** Ends a turn when the key has reached its limit. */
  limitOf(key: McpKey, store: ApiStore): Pick<AgentBlueprint, 'accountLimit'>;
  /** What is never offered to a caller who is not the user. */
  restrictedChoices(): NonNullable<AgentBlueprint['choices']>;
};

type StartParts = { runtime: Runtime; limits: KeyLimits };

export function createAsks(openRuntime: () => Promise<Runtime>, limits: KeyLimits): Asks {
  const asks = new Map<string, RunningAsk>();
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();

  async function start(args: AskArguments, call: ServedCall): Promise<RunningAsk> {
    if (running.size >= MAX_RUNNING)
      throw new HermesError(`${running.size} turns are running, so no more are started. Call again later.`);
    const opening = open(args, call);
    const settled = opening.then(({ finished }) => finished).catch(() => undefined);
    running.add(settled);
    void settled.finally(() => running.delete(settled));
    const { ask } = await opening;
    return ask;
  }

  async function open(args: AskArguments, call: ServedCall) {
    const runtime = await openRuntime();
    const { ask, ended } = await openAsk({ runtime, limits }, args, call);
    asks.set(ask.id, ask);
    return { ask, finished: ended.finally(() => keepResult(ask, runtime.clock)) };
  }

  function keepResult({ id }: RunningAsk, clock: Clock): void {
    void clock
      .sleep(KEPT_MS, closing.signal)
      .catch(() => undefined)
      .finally(() => asks.delete(id));
  }

  /** The turn that the client comes back to, with the answer to the question that it was given. */
  async function resume({ caller, resumed }: ServedCall): Promise<RunningAsk> {
    const [id = '', requestId = ''] = resumed?.state.split('/') ?? [];
    const ask = asks.get(id);
    if (ask === undefined || ask.actorId !== caller.actor.id)
      throw new HermesError('The call that this answer belongs to is not running any more.');
    await ask.answer(requestId, resumed?.answer);
    return ask;
  }

  return {
    async call(args, call) {
      const ask = call.resumed === undefined ? await start(args, call) : await resume(call);
      const result = await follow(ask, call);
      if (!('form' in result)) asks.delete(ask.id);
      return result;
    },
    async close() {
      closing.abort();
      for (const ask of asks.values()) ask.interrupt('the server was stopped');
      await Promise.allSettled(running);
    },
  };
}

/** Answers the questions of the turn until it has ended, or returns one of them to the client. */
async function follow(ask: RunningAsk, call: ServedCall): Promise<ServedResult> {
  const onAbort = () => ask.interrupt('the client cancelled the call');
  if (call.signal.aborted) onAbort();
  call.signal.addEventListener('abort', onAbort);
  const detach = ask.attach((text) => call.progress(text));
  try {
    for (;;) {
      const step = await ask.next();
      if (step.kind === 'ended') return describeResult(step.result);
      const form = toForm(step.question.request);
      const { requestId, closed } = step.question;
      if (call.elicit === undefined) return { form, state: `${ask.id}/${requestId}` };
      const answer = await call.elicit(form, AbortSignal.any([closed, call.signal])).catch(() => undefined);
      await ask.answer(requestId, answer);
    }
  } finally {
    call.signal.removeEventListener('abort', onAbort);
    detach();
  }
}

/** Starts a turn. `ended` resolves when it is stored and its conversation is closed. */
async function openAsk(parts: StartParts, args: AskArguments, call: ServedCall) {
  const { conversation, turn } = await startTurn(parts, args, call);
  const { blueprint, store, clock, logger } = parts.runtime;
  const questionMs = blueprint.settings.approvals.timeoutSeconds * 1000;
  const { actor } = call.caller;
  const ask = createRunningAsk({ id: newId(), actor, conversation, turn, questionMs, clock, logger });
  const bind = async () => {
    const { sessionId } = conversation;
    await bindSession(store, call.caller, { sessionId, now: clock.now() }).catch((thrown: unknown) =>
      logger.error('could not store to which key a session belongs', { sessionId }, thrown),
    );
  };

  async function end(): Promise<void> {
    await ask.ended.catch(() => undefined);
    // A session that was compressed continues under another id.
    await bind();
    await conversation.endSession('one_shot').catch(() => undefined);
    await conversation.close();
  }

  await bind();
  return { ask, ended: end() };
}

/** The id passes through the client, so it must not be guessed. */
function newId(): string {
  return randomBytes(24).toString('base64url');
}

async function startTurn({ runtime, limits }: StartParts, { prompt, session, cwd }: AskArguments, call: ServedCall) {
  const { caller, canElicit } = call;
  const { blueprint, store, clock } = runtime;
  const api = caller.key && (await store.openApiStore());
  if (caller.key !== undefined && api !== undefined)
    await limits.checkBudget(caller.key, { store: api, now: clock.now(), routes: blueprint.routes });
  const resumed = session === undefined ? undefined : await requireSession(runtime, session, caller);
  const workingDirectory = await chooseDirectory(cwd ?? resumed?.origin?.workingDirectory, {
    caller,
    root: blueprint.workingDirectory,
    isAsked: cwd !== undefined,
  });
  const conversation = await openConversation({
    services: runtime,
    blueprint: {
      ...blueprint,
      workingDirectory,
      actor: caller.actor,
      // Approvals are decided by the user of this machine, and not by everyone who may ask the agent.
      attended: canElicit && isUser(caller),
      kind: 'one_shot',
      ephemeralSystemPrompt: ASK_PROMPT,
      ...(caller.key !== undefined && api !== undefined && limits.limitOf(caller.key, api)),
      ...(caller.key?.toolsets && { toolsets: caller.key.toolsets }),
      ...(!isUser(caller) && { impersonal: true, choices: limits.restrictedChoices() }),
    },
    session: { resume: resumed?.id },
    mayAnswer: () => ({ role: 'owner', actorIds: [caller.actor.id] }),
  });
  return { conversation, turn: conversation.queue({ text: prompt }) };
}

/** A session of somebody else must look like one that does not exist. */
async function requireSession(
  { store, blueprint }: Runtime,
  session: string,
  caller: McpCaller,
): Promise<SessionRecord> {
  const found = await findSession(store, { resume: session }, blueprint).catch(() => undefined);
  if (found === undefined || !(await isVisible(store, caller, found.id)))
    throw new HermesError(`There is no session "${session}".`, { hint: 'sessions_search finds sessions.' });
  return found;
}

/**
 * Files in the working directory can be changed without approval. So a program on another machine can only choose
 * folders inside the one in which the server was started.
 */
async function chooseDirectory(
  wanted: string | undefined,
  { caller, root, isAsked }: { caller: McpCaller; root: string; isAsked: boolean },
): Promise<string> {
  if (wanted === undefined) return root;
  if (!isAbsolute(wanted)) throw new HermesError(`\`cwd\` must be an absolute path: ${wanted}.`);
  const found = await stat(wanted).catch(() => undefined);
  const isAllowed =
    found?.isDirectory() === true &&
    (caller.key === undefined || isInside(await realpath(root), await realpath(wanted)));
  if (isAllowed) return wanted;
  if (!isAsked) return root;
  // Others must not learn which folders exist.
  const problem = found?.isDirectory() || !isUser(caller) ? `is not inside ${root}` : 'is not a folder';
  throw new HermesError(`\`cwd\`: ${wanted} ${problem}.`);
}
