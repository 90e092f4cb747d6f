import type { Message } from '../base/index.ts';
import type {
  LearnedLimits,
  ModelPreferences,
  ModelRequest,
  ModelRoute,
  SessionStore,
  ToolDefinition,
} from '../contracts/index.ts';
import { createAttachmentPresenter } from './attachments/present-attachments.ts';
import { usualOutputLimit } from './output-limit.ts';
import { assembleRequest, type RequestInput } from './request.ts';
import { noLearnedFacts } from './route-chain.ts';
import { createSentRequests } from './sent-requests.ts';

/** A stored session, and everything else its requests are built from. */
export type StoredConversation = {
  store: Pick<SessionStore, 'getBlob'>;
  id: string;
  lineageId: string;
  systemPrompt: string;
  history: readonly Message[];
  /** Number of messages copied from the parent session; no model was called for them here. */
  inherited: number;
  route: ModelRoute;
  definitions: readonly ToolDefinition[];
  preferences?: ModelPreferences;
  /** Output limits learned from provider errors. */
  outputLimits?: LearnedLimits;
};

export type RebuiltStep = {
  request: ModelRequest;
  /** Number of history messages in the request. */
  messages: number;
  /** The stored answer; undefined if there is none yet. */
  answer: Message | undefined;
};

/**
 * Rebuilds the requests of a session, one per stored answer, with the same code that builds them in a turn. Additions
 * to a single request (a nudge, the start of a truncated answer) are not stored, so they are missing here, and so is an
 * output limit that was changed for a single request because the window was nearly full or an answer was truncated.
 */
export async function rebuildRequests(stored: StoredConversation): Promise<RebuiltStep[]> {
  const { history, route } = stored;
  const maxOutputTokens = usualOutputLimit(route, stored.outputLimits?.find(route));
  const shared = {
    attachments: createAttachmentPresenter(stored.store),
    sent: createSentRequests(),
    refusedReasoning: new Set<never>(),
    plainText: false,
  };
  const steps: RebuiltStep[] = [];
  for (const messages of findRequestPositions(history, stored.inherited)) {
    const input = createRequestInput(stored, { ...shared, history: history.slice(0, messages) });
    const request = await assembleRequest(input, { toolChoice: 'auto', maxOutputTokens });
    shared.sent.record(route, request);
    steps.push({ request, messages, answer: history[messages] });
  }
  return steps;
}

/**
 * History lengths at which the model was called: before each of its messages, and at the end if the last message is
 * unanswered.
 */
function findRequestPositions(history: readonly Message[], inherited: number): number[] {
  const places = history.flatMap(({ role }, index) => (role === 'assistant' && index >= inherited ? [index] : []));
  const open = history.length > inherited && history.at(-1)?.role !== 'assistant';
  return open ? [...places, history.length] : places;
}

type SessionState = Pick<
  RequestInput['session'],
  'attachments' | 'sent' | 'refusedReasoning' | 'plainText' | 'history'
>;

function createRequestInput(stored: StoredConversation, state: SessionState): RequestInput {
  const { id, lineageId, systemPrompt, route, definitions, preferences } = stored;
  const lessons = noLearnedFacts();
  return {
    options: { preferences },
    session: { id, lineageId, systemPrompt, ...state },
    routes: { current: () => route, learned: () => lessons },
    state: { definitions, step: { requestTail: [] } },
    outputSchema: undefined,
  };
}
