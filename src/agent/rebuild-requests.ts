import type { Message } from '../base/index.ts';
import type { ModelPreferences, ModelRequest, ModelRoute, SessionStore, ToolDefinition } from '../contracts/index.ts';
import { createAttachmentPresenter } from './attachments/present-attachments.ts';
import { buildRequest, type RequestScene } from './request.ts';
import { noLessons } from './route-chain.ts';
import { createSentRequests } from './sent-requests.ts';

/** A stored session, and with what its requests are to be made. */
export type StoredConversation = {
  store: Pick<SessionStore, 'getBlob'>;
  id: string;
  lineageId: string;
  systemPrompt: string;
  history: readonly Message[];
  /** So many messages were there when the session began: nothing was asked for them here. */
  inherited: number;
  route: ModelRoute;
  definitions: readonly ToolDefinition[];
  preferences?: ModelPreferences;
};

export type RebuiltStep = {
  request: ModelRequest;
  /** So many messages of the history went into it. */
  messages: number;
  /** What was answered; undefined where nothing was. */
  answer: Message | undefined;
};

/**
 * The requests of a session, one for each answer in it, made by what makes requests. What a turn added to a single
 * request (a nudge, the end of an answer that was cut off) is not stored and so is not in them.
 */
export async function rebuildRequests(stored: StoredConversation): Promise<RebuiltStep[]> {
  const { history, route } = stored;
  const shared = {
    attachments: createAttachmentPresenter(stored.store),
    sent: createSentRequests(),
    refusedReasoning: new Set<never>(),
    plainText: false,
  };
  const steps: RebuiltStep[] = [];
  for (const messages of placesOfAnswers(history, stored.inherited)) {
    const scene = sceneOf(stored, { ...shared, history: history.slice(0, messages) });
    const request = await buildRequest(scene);
    shared.sent.note(route, request);
    steps.push({ request, messages, answer: history[messages] });
  }
  return steps;
}

/** Where a model was asked: before each of its messages, and at the end where that is still to be answered. */
function placesOfAnswers(history: readonly Message[], inherited: number): number[] {
  const places = history.flatMap(({ role }, index) => (role === 'assistant' && index >= inherited ? [index] : []));
  const open = history.length > inherited && history.at(-1)?.role !== 'assistant';
  return open ? [...places, history.length] : places;
}

type SessionState = Pick<
  RequestScene['session'],
  'attachments' | 'sent' | 'refusedReasoning' | 'plainText' | 'history'
>;

function sceneOf(stored: StoredConversation, state: SessionState): RequestScene {
  const { id, lineageId, systemPrompt, route, definitions, preferences } = stored;
  const lessons = noLessons();
  return {
    options: { preferences },
    session: { id, lineageId, systemPrompt, ...state },
    routes: { current: () => route, lessons: () => lessons },
    state: { definitions, step: { requestTail: [], maxOutputTokens: undefined } },
    outputSchema: undefined,
  };
}
