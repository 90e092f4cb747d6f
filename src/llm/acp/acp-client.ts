import type { ModelClient } from '../../contracts/index.ts';
import { patienceFor } from '../patience.ts';
import { createAsking } from './acp-call.ts';
import { answeredFailure, failure } from './acp-failure.ts';
import { type AgentOptions, startAgent } from './agent.ts';
import { createCurrentAgent } from './current-agent.ts';
import { renderPrompt } from './render-prompt.ts';
import { watchCall } from './watch-call.ts';

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
      const watch = watchCall(agent, options.stallTimeoutMs * patienceFor(prompt.text), signal);
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
