import type { Actor } from '../../base/index.ts';
import type { ApiServerSettings } from '../../config/gateway/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import type { ApiStore, Messaging } from '../../contracts/index.ts';
import { HttpError, INVALID_KEY, type HttpRequest, type HttpResponse, type Route } from '../../http/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import type { StoredKey } from './keys/key-file.ts';
import type { ApiKeys } from './keys/open-keys.ts';
import type { ApiModels } from './models/api-models.ts';
import type { EventStreams } from './streams/event-streams.ts';
import type { TurnHost } from './turns/turn-host.ts';

/** Everything that the endpoints share. */
export type ApiContext = {
  readonly runtime: Runtime;
  readonly settings: ApiServerSettings;
  readonly version: string;
  readonly env: EnvironmentVariables;
  /** Delivers the answers of jobs; undefined if no gateway runs in this process. */
  readonly messaging: (() => Promise<Messaging>) | undefined;
  readonly keys: ApiKeys;
  readonly store: ApiStore;
  readonly models: ApiModels;
  readonly turns: TurnHost;
  readonly streams: EventStreams;
};

/** A request with a valid key. */
export type ApiRequest = HttpRequest & {
  readonly key: StoredKey;
  /** The owner of what the request creates: the name of its key. */
  readonly owner: string;
  readonly actor: Actor;
  /** Which memory of the memory provider the request uses (`X-Hermes-Session-Key`); undefined for that of the user. */
  readonly memoryScope: string | undefined;
};

export type ApiRoute = Pick<Route, 'method' | 'path'> & {
  maxBodyBytes?: number;
  handle(request: ApiRequest): Promise<HttpResponse> | HttpResponse;
};

/** Images and files are part of the body. */
const MAX_BODY = 32 * 1024 * 1024;

/** The routes of the HTTP server, which all need a key. */
export function toRoutes({ keys }: Pick<ApiContext, 'keys'>, routes: readonly ApiRoute[]): Route[] {
  return routes.map(({ method, path, maxBodyBytes = MAX_BODY, handle }) => ({
    method,
    path,
    maxBodyBytes,
    access: keys.authenticator,
    async handle(request): Promise<HttpResponse> {
      const known = withKey(keys, request);
      const response = await handle(known);
      // As in the original: clients find the key of a conversation in its responses.
      return known.memoryScope === undefined
        ? response
        : { ...response, headers: { ...response.headers, [SESSION_KEY]: known.memoryScope } };
    },
  }));
}

/** The same routes under a path of their own. */
export function withPrefix(prefix: string, routes: readonly ApiRoute[]): ApiRoute[] {
  return routes.map((route) => ({ ...route, path: `${prefix}${route.path}` }));
}

function withKey(keys: ApiKeys, request: HttpRequest): ApiRequest {
  const key = keys.find(request.caller?.name ?? '');
  if (key === undefined) throw new HttpError(401, 'invalid_key', INVALID_KEY);
  const memoryScope = request.header(SESSION_KEY)?.trim() || undefined;
  if (memoryScope !== undefined && memoryScope.length > MAX_SESSION_KEY)
    throw new HttpError(400, 'invalid_value', `X-Hermes-Session-Key has more than ${MAX_SESSION_KEY} characters.`);
  return { ...request, key, owner: key.name, actor: actorOf(key), memoryScope };
}

const SESSION_KEY = 'x-hermes-session-key';
const MAX_SESSION_KEY = 256;

/** The bearer of a key. The role decides what it may answer. */
export function actorOf({ name, isOwner = false }: StoredKey): Actor {
  return { id: `api:${name}`, role: isOwner ? 'owner' : 'user', name };
}
