import { attachmentsOf, type Message } from '../base/index.ts';
import type {
  LearnedLimits,
  LearnedMarkers,
  ModelPreferences,
  ModelRequest,
  ModelRoute,
  SessionStore,
  ToolDefinition,
} from '../contracts/index.ts';
import { createAttachmentPresenter } from './attachments/present-attachments.ts';
import { usualOutputLimit } from './output-limit.ts';
import { addRepaired, repairHistory } from './repair-history.ts';
import { assembleRequest, type RequestInput } from './request.ts';
import { noLearnedFacts } from './route-chain.ts';
import { createSentRequests, type SentRequests } from './sent-requests.ts';

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
  /** The cache markers that endpoints support, learned before. */
  cacheMarkers?: LearnedMarkers;
};

export type RebuiltStep = {
  /** Valid until the next step is read, because both share the list of messages. */
  request: ModelRequest;
  /** How many messages at the start of the request are the same objects as in the previous one. */
  unchanged: number;
  /** Number of history messages in the request. */
  messages: number;
  /** The stored answer; undefined if there is none yet. */
  answer: Message | undefined;
};

/**
 * Rebuilds the requests of a session, one per stored answer, with the same code that builds them in a turn. Only one
 * exists at a time, because each contains the whole history before it. Additions to a single request (a nudge, the
 * start of a truncated answer) are not stored, so they are missing here, and so is an output limit that was changed for
 * a single request because the window was nearly full or an answer was truncated.
 */
export async function* rebuildRequests(stored: StoredConversation): AsyncGenerator<RebuiltStep, void> {
  const { history, route } = stored;
  const maxOutputTokens = usualOutputLimit(route, stored.outputLimits?.find(route));
  const sent = createSentRequests();
  const list = createMessageList(stored);
  for (const messages of findRequestPositions(stored)) {
    const { unchanged, ...presented } = await list.upTo(messages);
    const input = createRequestInput(stored, sent);
    const request = { ...(await assembleRequest(input, { toolChoice: 'auto', maxOutputTokens })), ...presented };
    sent.record(route, request);
    yield { request, unchanged, messages, answer: history[messages] };
  }
}

type PresentedHistory = Pick<ModelRequest, 'messages' | 'blobs'> & Pick<RebuiltStep, 'unchanged'>;

/** The messages of consecutive requests. Each position is further in the history than the one before. */
function createMessageList({ store, history, route }: StoredConversation) {
  const attachments = createAttachmentPresenter(store);
  const lessons = noLearnedFacts();
  const hasFiles = history.some((message) => attachmentsOf(message).length > 0);
  const repaired: Message[] = [];
  let done = 0;

  /** Every attachment that is added can change how earlier ones are sent, so everything is presented again. */
  async function presentAll(end: number): Promise<PresentedHistory> {
    const { messages, blobs } = await attachments.present(history.slice(0, end), route, lessons);
    return { messages: repairHistory(messages), blobs, unchanged: 0 };
  }

  return {
    async upTo(end: number): Promise<PresentedHistory> {
      if (hasFiles) return presentAll(end);
      const unchanged = Math.max(0, repaired.length - 1);
      // A position is before an answer, so the results of a call are always added together with it.
      addRepaired(repaired, history.slice(done, end));
      done = end;
      return { messages: repaired, unchanged };
    },
  };
}

/**
 * History lengths at which the model was called: before each of its messages, and at the end if the last message is
 * unanswered.
 */
export function findRequestPositions({
  history,
  inherited,
}: Pick<StoredConversation, 'history' | 'inherited'>): number[] {
  const places = history.flatMap(({ role }, index) => (role === 'assistant' && index >= inherited ? [index] : []));
  const open = history.length > inherited && history.at(-1)?.role !== 'assistant';
  return open ? [...places, history.length] : places;
}

/** The input of a request without its messages. */
function createRequestInput(stored: StoredConversation, sent: SentRequests): RequestInput {
  const { store, id, lineageId, systemPrompt, route, definitions, preferences, cacheMarkers } = stored;
  const lessons = noLearnedFacts();
  const refusedReasoning = new Set<never>();
  const attachments = createAttachmentPresenter(store);
  return {
    options: { preferences, cacheMarkers },
    session: { id, lineageId, systemPrompt, sent, history: [], attachments, refusedReasoning, plainText: false },
    routes: { current: () => route, learned: () => lessons },
    state: { definitions, step: { requestTail: [] } },
    outputSchema: undefined,
  };
}
