import type { AssistantMessage, Message } from '../base/index.ts';
import type { ModelRequest } from '../contracts/index.ts';
import { cleanSurrogates } from '../util/index.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentSession } from './agent-session.ts';
import { chooseMarkers } from './caching/choose-markers.ts';
import { outputLimitOf } from './output-limit.ts';
import { repairHistory } from './repair-history.ts';
import type { RouteChain } from './route-chain.ts';
import type { StepState, TurnState } from './turn-state.ts';
import type { Turn } from './turn.ts';

// Control characters except tab and line breaks, private-use characters and non-characters: some providers reject
// them.
const PROBLEMATIC_CHARACTERS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff]/g;

/** Everything a request is built from. A turn provides it, and so does a session replay. */
export type RequestInput = Pick<Turn, 'outputSchema'> & {
  readonly options: Pick<AgentOptions, 'prefillMessages' | 'ephemeralSystemPrompt' | 'preferences' | 'cacheMarkers'>;
  readonly session: Pick<AgentSession, 'lineageId' | 'systemPrompt' | 'attachments'> & Visible & Revised;
  readonly routes: Pick<RouteChain, 'current' | 'learned'>;
  readonly state: Pick<TurnState, 'definitions'> & {
    readonly step: Pick<StepState, 'requestTail'>;
  };
};

type Visible = Pick<AgentSession, 'history' | 'plainText' | 'refusedReasoning'>;
type Revised = Pick<AgentSession, 'id' | 'sent' | 'plainText' | 'refusedReasoning'>;

/**
 * Builds the request for the current step: a repaired copy of the history, plus what is added for this request only.
 */
export function buildRequest(turn: Turn, toolChoice: ModelRequest['toolChoice'] = 'auto'): Promise<ModelRequest> {
  return assembleRequest(turn, { toolChoice, maxOutputTokens: outputLimitOf(turn) });
}

export async function assembleRequest(
  turn: RequestInput,
  { toolChoice, maxOutputTokens }: Pick<ModelRequest, 'toolChoice' | 'maxOutputTokens'>,
): Promise<ModelRequest> {
  const { options, session, routes, state } = turn;
  const lessons = routes.learned();
  const prefill = options.prefillMessages ?? [];
  const visible = [...prefill, ...visibleHistory(session), ...state.step.requestTail];
  const cacheMarkers = chooseMarkers(turn);
  const { messages, blobs, missing } = await session.attachments.present(visible, routes.current(), lessons);
  return {
    system: joinPrompts(session.systemPrompt, options.ephemeralSystemPrompt),
    messages: repairHistory(messages),
    blobs,
    tools: state.definitions,
    toolChoice,
    stream: !lessons.streamRefused,
    maxOutputTokens,
    effort: options.preferences?.effort,
    speed: options.preferences?.speed,
    cacheKey: session.lineageId,
    cacheMarkers,
    revision: `${revisionOf(session, missing)} ${cacheMarkers?.level}`,
    readUpTo: session.sent.readUpTo(routes.current(), session.history),
    tailLength: state.step.requestTail.length,
    parameterChanges: lessons.parameterChanges,
    outputSchema: lessons.schemaRefused ? undefined : turn.outputSchema,
  };
}

/**
 * An id that changes whenever already sent messages change on purpose: by compression, an edit of the history, or
 * something learned from a provider error.
 */
function revisionOf(session: Revised, missing = 0): string {
  const { id, sent, plainText, refusedReasoning } = session;
  return `${id} ${sent.invalidations} ${plainText} ${[...refusedReasoning].join()} ${missing}`;
}

/** Without half surrogate pairs, which surfaces may pass on and providers reject. */
function joinPrompts(prompt: string, ephemeral: string | undefined): string {
  return cleanSurrogates(ephemeral === undefined ? prompt : `${prompt}\n\n${ephemeral}`);
}

/** The history as it is sent from now on: without what the provider refused. */
export function visibleHistory(session: Visible): readonly Message[] {
  const { history } = session;
  const readable = session.plainText ? history.map(toPlainText) : history;
  return session.refusedReasoning.size === 0 ? readable : readable.map((message) => withoutReasoning(message, session));
}

function toPlainText(message: Message): Message {
  const content = message.content.replace(PROBLEMATIC_CHARACTERS, '\ufffd');
  return content === message.content ? message : { ...message, content };
}

function withoutReasoning(message: Message, { refusedReasoning }: Visible): Message {
  if (message.role !== 'assistant') return message;
  const copy: AssistantMessage = { ...message };
  for (const field of refusedReasoning) delete copy[field];
  return copy;
}
