import type { JsonObject } from '../../base/index.ts';
import type { ModelAnswer, ModelRequest, StreamOptions } from '../../contracts/index.ts';
import { failure } from './acp-failure.ts';
import type { Agent } from './agent.ts';
import { createAgentAnswer } from './agent-answer.ts';
import { openSession } from './agent-session.ts';
import type { CurrentAgent } from './current-agent.ts';
import { createKeptSessions, type KeptSession } from './kept-sessions.ts';
import type { Prompt } from './render-prompt.ts';
import type { CallWatch } from './watch-call.ts';

/** One call and all that belongs to it. */
export type AcpCall = {
  agent: Agent;
  prompt: Prompt;
  request: ModelRequest;
  onEvent: StreamOptions['onEvent'];
  watch: CallWatch;
};

export type Asking = { ask(call: AcpCall): Promise<ModelAnswer>; models(): readonly string[] | undefined };

/** Far above any answer; below what would hurt the process. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Asks an agent, in a session that knows the conversation where there is one, else in a new one. */
export function createAsking(model: string | undefined, giveUp: CurrentAgent['giveUp']): Asking {
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
    if (growing.size() > LARGEST_ANSWER) throw failure('invalid_response', 'The answer is larger than 64 MB.');
  });
  const { answer, events } = growing.finish(finishReason);
  if (!watch.over()) events.forEach(onEvent);
  // What it was told for this answer only, it would remember for the next.
  const isReliable = !watch.over() && !forgot && finishReason === 'stop' && prompt.tail === '';
  return { answer, isReliable };
}

/** The whole conversation for a new session; for one that goes on, what came since. */
function wordsFor({ text, tail }: Prompt, { text: known }: KeptSession): string {
  return (text.slice(known.length) + tail).trimStart();
}
