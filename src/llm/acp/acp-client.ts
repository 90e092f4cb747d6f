import type { JsonObject } from '../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRequest, StreamOptions } from '../../contracts/index.ts';
import { stallTimeoutFactor } from '../transport/stall-timer.ts';
import { protocolFailure, failure } from './acp-failure.ts';
import { createAgentResponse } from './agent-response.ts';
import { type AgentSession, openSession } from './agent-session.ts';
import { type Agent, type AgentOptions, startAgent } from './agent.ts';
import { createCurrentAgent, type CurrentAgent } from './current-agent.ts';
import { headingStart, type Prompt, renderAnswer, renderPrompt } from './render-prompt.ts';
import { type CallTimer, startCallTimer } from './call-timer.ts';

export type AcpModelClientOptions = AgentOptions & {
  baseUrl: string;
  /** Undefined lets the command choose. */
  model: string | undefined;
  /** How long the command may send nothing before the call fails. */
  stallTimeoutMs: number;
};

export type AcpModelClient = ModelClient & {
  /** The models that the command listed for the newest session; undefined before the first session. */
  models(): readonly string[] | undefined;
};

/** Uses an ACP agent as a plain model: it receives the conversation as one text, and its reply is the response. */
export function createAcpModelClient(options: AcpModelClientOptions): AcpModelClient {
  const current = createCurrentAgent(() => startAgent(options));
  const asking = createPromptSender(options.model, current.cancel);
  return {
    producer: `acp ${options.baseUrl}`,
    // The prompt is a single text, so it cannot contain attachments.
    carries: [],
    outputLimit: 'unsupported',
    models: asking.models,
    prepare(request) {
      const { text, tail } = renderPrompt(request);
      return { method: 'POST', url: options.baseUrl, headers: { 'content-type': 'text/plain' }, body: text + tail };
    },
    async stream(request, { signal, onEvent }) {
      signal.throwIfAborted();
      const prompt = renderPrompt(request);
      const agent = current.get();
      const letGo = agent.hold();
      const watch = startCallTimer(agent, options.stallTimeoutMs * stallTimeoutFactor(prompt.text.length), signal);
      // Before there is a session to cancel, the call can only be stopped by ending the agent. That is done only if
      // no other call uses the agent.
      watch.onEnd(() => {
        if (agent.holders() === 1) agent.end(failure('connection', 'The call was cancelled.'));
      });
      try {
        return await Promise.race([asking.send({ agent, prompt, request, onEvent, watch }), watch.ended]);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const judged = protocolFailure(error, options.hints);
        // Commands check the login only when they start, so the next call must start a new process.
        if (judged.failure.kind === 'auth') agent.end(judged);
        throw judged;
      } finally {
        watch.stop();
        letGo();
      }
    },
  };
}

/** The parts of one call. */
type AcpCall = {
  agent: Agent;
  prompt: Prompt;
  request: ModelRequest;
  onEvent: StreamOptions['onEvent'];
  watch: CallTimer;
};

type PromptSender = { send(call: AcpCall): Promise<ModelAnswer>; models(): readonly string[] | undefined };

/** Size limit for a response: far larger than any real one, but small enough not to exhaust memory. */
const MAX_ANSWER_SIZE = 64 * 1024 * 1024;

/** Sends calls to an agent, in an existing session that already has the conversation or else in a new one. */
function createPromptSender(model: string | undefined, giveUp: CurrentAgent['cancel']): PromptSender {
  const kept = createReusableSessions();
  let models: readonly string[] | undefined;

  async function sessionFor({ agent, prompt, request: { effort } }: AcpCall): Promise<ReusableSession> {
    const earlier = kept.take(agent, prompt, effort);
    if (earlier !== undefined) return earlier;
    const session = await openSession(agent, { model, effort });
    if (session.models.length > 0) models = session.models;
    return { agent, session, effort, text: '' };
  }

  return {
    models: () => models,
    async send(call) {
      const { agent, prompt, watch } = call;
      const location = await sessionFor(call);
      // The call was cancelled while the session was opened.
      if (watch.over()) return watch.ended;
      watch.onEnd((why) => {
        if (why === 'abort') giveUp(agent, location.session);
        else agent.end(failure('connection', 'The command stalled and was ended.'));
      });
      try {
        const { answer, isReliable } = await receiveResponse(call, location);
        if (isReliable) kept.keep(location, prompt, answer);
        else location.session.end();
        return answer;
      } catch (error) {
        if (!watch.over()) giveUp(agent, location.session);
        location.session.end();
        throw error;
      }
    },
  };
}

/** Returns the response, and whether the agent's memory still matches our history. */
async function receiveResponse(
  { prompt, request, onEvent, watch }: AcpCall,
  location: ReusableSession,
): Promise<{ answer: ModelAnswer; isReliable: boolean }> {
  const growing = createAgentResponse(request, prompt.marker);
  let forgot = false;
  const finishReason = await location.session.prompt(promptText(prompt, location), (update: JsonObject) => {
    if (watch.over()) return;
    forgot ||= update.sessionUpdate === 'compaction_update';
    growing.addUpdate(update).forEach(onEvent);
    if (growing.size() > MAX_ANSWER_SIZE) throw failure('invalid_response', 'The response is larger than 64 MB.');
  });
  const { answer, events } = growing.finish(finishReason);
  if (!watch.over()) events.forEach(onEvent);
  // A session that received a tail is not reused: the tail applies to this response only, but the agent would
  // remember it.
  const isReliable = !watch.over() && !forgot && finishReason === 'stop' && prompt.tail === '';
  return { answer, isReliable };
}

/** The whole conversation for a new session; only the new part for an existing one. */
function promptText({ text, tail }: Prompt, { text: known }: ReusableSession): string {
  return (text.slice(known.length) + tail).trimStart();
}

/** A session of the agent, and its whole content as the start of a later prompt. */
type ReusableSession = { agent: Agent; session: AgentSession; effort: string | undefined; text: string };

/** Sessions that later calls can continue. */
type ReusableSessions = {
  /** Removes and returns the session that this prompt continues, so that no other call uses it until `keep`. */
  take(agent: Agent, prompt: Prompt, effort: string | undefined): ReusableSession | undefined;
  keep(location: ReusableSession, prompt: Prompt, answer: ModelAnswer): void;
};

/** Enough for the conversation itself and one or two parallel ones for auxiliary tasks. */
const MAX_REUSABLE_SESSIONS = 3;

/**
 * Our history is authoritative. A session of the agent is continued only if its content is exactly the start of that
 * history; otherwise a new session receives the whole text.
 */
function createReusableSessions(): ReusableSessions {
  let kept: ReusableSession[] = [];
  return {
    take(agent, prompt, effort) {
      kept = kept.filter((location) => location.agent.usable());
      const fits = (location: ReusableSession) =>
        location.agent === agent &&
        location.effort === effort &&
        prompt.text.startsWith(location.text + headingStart(prompt.marker));
      const found = kept.find(fits);
      kept = kept.filter((location) => location !== found);
      return found;
    },
    keep(location, prompt, { text, toolCalls }) {
      const whole = prompt.text + renderAnswer({ content: text, toolCalls }, prompt.marker);
      kept.push({ ...location, text: whole });
      for (const left of kept.splice(0, kept.length - MAX_REUSABLE_SESSIONS)) left.session.end();
    },
  };
}
