import type { JsonObject } from '../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRequest, StreamOptions } from '../../contracts/index.ts';
import { patienceFor } from '../transport/watch.ts';
import { answeredFailure, failure } from './acp-failure.ts';
import { createAgentAnswer } from './agent-answer.ts';
import { type AgentSession, openSession } from './agent-session.ts';
import { type Agent, type AgentOptions, startAgent } from './agent.ts';
import { createCurrentAgent, type CurrentAgent } from './current-agent.ts';
import { headingStart, type Prompt, renderAnswer, renderPrompt } from './render-prompt.ts';
import { type CallWatch, watchCall } from './watch-call.ts';

export type AcpModelClientOptions = AgentOptions & {
  baseUrl: string;
  /** Undefined leaves the choice to the command. */
  model: string | undefined;
  /** How long the command may be silent. */
  stallTimeoutMs: number;
};

export type AcpModelClient = ModelClient & {
  /** The models that the command offered when it was last asked; undefined where it never was. */
  models(): readonly string[] | undefined;
};

/** Uses an agent behind a command as a plain model: it is told the conversation, and its words are the answer. */
export function createAcpModelClient(options: AcpModelClientOptions): AcpModelClient {
  const current = createCurrentAgent(() => startAgent(options));
  const asking = createAsking(options.model, current.giveUp);
  return {
    producer: `acp ${options.baseUrl}`,
    // It is told one text.
    carries: [],
    models: asking.models,
    prepare(request) {
      const { text, tail } = renderPrompt(request);
      return { method: 'POST', url: options.baseUrl, headers: { 'content-type': 'text/plain' }, body: text + tail };
    },
    async stream(request, { signal, onEvent }) {
      signal.throwIfAborted();
      const prompt = renderPrompt(request);
      const agent = current.take();
      const letGo = agent.hold();
      const watch = watchCall(agent, options.stallTimeoutMs * patienceFor(prompt.text.length), signal);
      // Until there is a session to cancel, giving up means ending the agent, unless others still work with it.
      watch.onEnd(() => {
        if (agent.holders() === 1) agent.end(failure('connection', 'The call was given up.'));
      });
      try {
        return await Promise.race([asking.ask({ agent, prompt, request, onEvent, watch }), watch.ended]);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const judged = answeredFailure(error, options.hints);
        // Whether someone is logged in is only looked at when a command starts.
        if (judged.failure.kind === 'auth') agent.end(judged);
        throw judged;
      } finally {
        watch.stop();
        letGo();
      }
    },
  };
}

/** One call and all that belongs to it. */
type AcpCall = {
  agent: Agent;
  prompt: Prompt;
  request: ModelRequest;
  onEvent: StreamOptions['onEvent'];
  watch: CallWatch;
};

type Asking = { ask(call: AcpCall): Promise<ModelAnswer>; models(): readonly string[] | undefined };

/** Far above any answer; below what would hurt the process. */
const MAX_ANSWER_SIZE = 64 * 1024 * 1024;

/** Asks an agent, in a session that knows the conversation where there is one, else in a new one. */
function createAsking(model: string | undefined, giveUp: CurrentAgent['giveUp']): Asking {
  const kept = createKeptSessions();
  let models: readonly string[] | undefined;

  async function sessionFor({ agent, prompt, request: { effort } }: AcpCall): Promise<KeptSession> {
    const earlier = kept.take(agent, prompt, effort);
    if (earlier !== undefined) return earlier;
    const session = await openSession(agent, { model, effort });
    if (session.models.length > 0) models = session.models;
    return { agent, session, effort, text: '' };
  }

  return {
    models: () => models,
    async ask(call) {
      const { agent, prompt, watch } = call;
      const place = await sessionFor(call);
      // Nobody waits any more for what comes after the call was given up.
      if (watch.over()) return watch.ended;
      watch.onEnd((why) => {
        if (why === 'abort') giveUp(agent, place.session);
        else agent.end(failure('connection', 'The command fell silent and was ended.'));
      });
      try {
        const { answer, isReliable } = await hearOut(call, place);
        if (isReliable) kept.keep(place, prompt, answer);
        else place.session.end();
        return answer;
      } catch (error) {
        if (!watch.over()) giveUp(agent, place.session);
        place.session.end();
        throw error;
      }
    },
  };
}

/** The answer, and whether what the agent remembers of the conversation is now exactly what we know of it. */
async function hearOut(
  { prompt, request, onEvent, watch }: AcpCall,
  place: KeptSession,
): Promise<{ answer: ModelAnswer; isReliable: boolean }> {
  const growing = createAgentAnswer(request, prompt.mark);
  let forgot = false;
  const finishReason = await place.session.prompt(wordsFor(prompt, place), (update: JsonObject) => {
    if (watch.over()) return;
    forgot ||= update.sessionUpdate === 'compaction_update';
    growing.take(update).forEach(onEvent);
    if (growing.size() > MAX_ANSWER_SIZE) throw failure('invalid_response', 'The answer is larger than 64 MB.');
  });
  const { answer, events } = growing.finish(finishReason);
  if (!watch.over()) events.forEach(onEvent);
  // The agent would remember instructions that were meant for this answer only.
  const isReliable = !watch.over() && !forgot && finishReason === 'stop' && prompt.tail === '';
  return { answer, isReliable };
}

/** The whole conversation for a new session; for one that goes on, what came since. */
function wordsFor({ text, tail }: Prompt, { text: known }: KeptSession): string {
  return (text.slice(known.length) + tail).trimStart();
}

/** A session of the agent and all that was said in it, as a later prompt would begin. */
type KeptSession = { agent: Agent; session: AgentSession; effort: string | undefined; text: string };

/** Sessions that a later call may go on in. */
type KeptSessions = {
  /** The one that this prompt continues; nobody else gets it until it is kept again. */
  take(agent: Agent, prompt: Prompt, effort: string | undefined): KeptSession | undefined;
  keep(place: KeptSession, prompt: Prompt, answer: ModelAnswer): void;
};

/** The conversation itself, and one or two parallel ones for auxiliary tasks. */
const MAX_KEPT = 3;

/**
 * The history that we keep is the one that counts. A session of the agent is only gone on with where its own memory is
 * exactly the beginning of that history; anything else gets a new session and the whole text.
 */
function createKeptSessions(): KeptSessions {
  let kept: KeptSession[] = [];
  return {
    take(agent, prompt, effort) {
      kept = kept.filter((place) => place.agent.usable());
      const fits = (place: KeptSession) =>
        place.agent === agent &&
        place.effort === effort &&
        prompt.text.startsWith(place.text + headingStart(prompt.mark));
      const found = kept.find(fits);
      kept = kept.filter((place) => place !== found);
      return found;
    },
    keep(place, prompt, { text, toolCalls }) {
      const whole = prompt.text + renderAnswer({ content: text, toolCalls }, prompt.mark);
      kept.push({ ...place, text: whole });
      for (const left of kept.splice(0, kept.length - MAX_KEPT)) left.session.end();
    },
  };
}
