import type { JsonObject } from '../../../base/index.ts';
import type { StoredConversation } from '../../../contracts/index.ts';
import type { ApiRequest, ApiRoute } from '../api-context.ts';
import { withImages } from '../responses/item-images.ts';
import type { Item } from '../responses/items.ts';
import { listOf, pageOf } from '../responses/list-page.ts';
import type { RunParts } from '../responses/run-response.ts';
import type { ConversationService } from './conversation-service.ts';

/** `/v1/conversations` and the items in them. */
export function conversationRoutes({ runtime }: RunParts, service: ConversationService): ApiRoute[] {
  const path = '/v1/conversations';
  const one = `${path}/:id`;
  const items = `${one}/items`;
  const idOf = ({ parameters }: ApiRequest) => parameters['id'] ?? '';
  const itemOf = ({ parameters }: ApiRequest) => parameters['item'] ?? '';
  const shown = (found: readonly Item[], http: ApiRequest) => withImages(runtime.store, found, http.query);
  return [
    {
      method: 'POST',
      path,
      handle: async (http) => ({ json: toObject(await service.create(http, await readBody(http))) }),
    },
    { method: 'GET', path: one, handle: async (http) => ({ json: toObject(await service.find(http, idOf(http))) }) },
    {
      method: 'POST',
      path: one,
      handle: async (http) => ({ json: toObject(await service.update(http, idOf(http), await http.json())) }),
    },
    {
      method: 'DELETE',
      path: one,
      async handle(http) {
        await service.delete(http, idOf(http));
        return { json: { id: idOf(http), object: 'conversation.deleted', deleted: true } };
      },
    },
    {
      method: 'GET',
      path: items,
      handle: async (http) => ({ json: pageOf(await shown(await service.items(http, idOf(http)), http), http.query) }),
    },
    {
      method: 'POST',
      path: items,
      handle: async (http) => ({ json: listOf(await service.addItems(http, idOf(http), await http.json())) }),
    },
    {
      method: 'GET',
      path: `${items}/:item`,
      async handle(http) {
        const [item] = await shown([await service.item(http, idOf(http), itemOf(http))], http);
        return { json: item as Item };
      },
    },
    {
      method: 'DELETE',
      path: `${items}/:item`,
      handle: async (http) => ({ json: toObject(await service.deleteItem(http, idOf(http), itemOf(http))) }),
    },
  ];
}

/** A conversation can be created without a body. */
async function readBody(http: ApiRequest): Promise<JsonObject> {
  return (await http.body()).length === 0 ? {} : ((await http.json()) as JsonObject);
}

function toObject({ id, createdAt, metadata }: StoredConversation): JsonObject {
  return { id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata };
}
