import type { ApiContext, ApiRoute } from '../api-context.ts';
import { conversationRoutes } from '../conversations/conversation-routes.ts';
import { createClientCalls } from '../chat/client-tools.ts';
import { createConversationService } from '../conversations/conversation-service.ts';
import { importOriginalResponses } from './import-original.ts';
import { createPausedResponses } from './paused-responses.ts';
import { responseRoutes } from './response-routes.ts';
import { createResponseService } from './response-service.ts';

/** The Responses API and its conversations. */
export type OpenedResponses = {
  readonly routes: readonly ApiRoute[];
  /** Deletes responses that have expired. */
  prune(): Promise<void>;
  /** Waits until the responses are stored whose turns were interrupted. */
  close(): Promise<void>;
};

/** Opens the endpoints, and ends the responses of processes that died. */
export async function openResponses(context: ApiContext): Promise<OpenedResponses> {
  const responses = await context.runtime.store.openResponseStore();
  const parts = { ...context, responses, calls: createClientCalls(), paused: createPausedResponses() };
  const service = createResponseService(parts);
  await service.recover();
  await importOriginalResponses(parts);
  return {
    routes: [...responseRoutes(parts, service), ...conversationRoutes(parts, createConversationService(parts))],
    prune: async () => void (await responses.pruneResponses(context.runtime.clock.now())),
    close: () => service.close(),
  };
}
