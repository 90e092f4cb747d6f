import type {
  BoundOptions,
  CacheTtlSetting,
  Credential,
  ModelClient,
  ModelFacts,
  ModelRoute,
} from '../../contracts/index.ts';
import { estimateCost } from './cost.ts';
import { findFacts } from './find-facts.ts';

/** Where the facts about the model of a route come from. */
export type FactsSource = {
  /** Configured by the user; overrides everything else. */
  configured: ModelFacts;
  /** The API service at the base URL; undefined if it is unknown. Without a service there are no prices. */
  service: string | undefined;
  /** Whether it is a local server, which can be asked for its window. */
  local: boolean;
  home: string;
};

/** What requests to the endpoint need. */
type Access = { credential?: Credential | undefined; bound?: BoundOptions | undefined };

/** The context window of an unknown model: nearly every current model has at least this. */
const CONSERVATIVE_WINDOW = 128_000;

/**
 * Adds the model facts to a route: window, abilities and the cost of each response. The facts are looked up on first
 * use, usually after the first response, so they do not delay the start.
 */
export async function attachFacts(
  route: ModelRoute,
  source: FactsSource,
  { credential, bound }: Access,
): Promise<ModelRoute> {
  let known: ModelFacts | undefined;
  const facts = () => (known ??= collectFacts(route.model, source));
  // Configured by the user, or reported by the server when the route was opened.
  const given = route.contextLength;
  const local =
    source.local && given === undefined ? await openLocalWindow(route, source, { credential, bound }) : undefined;
  const client = createPricedClient(route.client, facts, route.cacheTtl);
  return {
    ...route,
    client: local?.wrap(client) ?? client,
    get facts() {
      return facts();
    },
    get contextLength() {
      return given ?? local?.current() ?? facts().contextLength ?? CONSERVATIVE_WINDOW;
    },
  };
}

async function openLocalWindow({ baseUrl, model }: ModelRoute, { home }: FactsSource, access: Access) {
  // Loaded on demand, because most routes are not local.
  const { createLocalWindow } = await import('./local-window.ts');
  return createLocalWindow(home, { baseUrl, model, ...access });
}

/** Merges configured facts over those of the catalogue. */
export function collectFacts(model: string, { configured, service, local, home }: FactsSource): ModelFacts {
  const { fastPrice, subscription, ...known } = findFacts({ provider: service, model, home, local });
  // A configured price replaces all others, including the fast price and the subscription.
  if (configured.price !== undefined) return { ...known, ...configured };
  return {
    ...known,
    ...(fastPrice === undefined ? {} : { fastPrice }),
    ...(subscription === undefined ? {} : { subscription }),
    ...configured,
  };
}

/** Wraps a client to add the estimated cost to each response, unless the provider reports it. */
export function createPricedClient(client: ModelClient, facts: () => ModelFacts, ttl?: CacheTtlSetting): ModelClient {
  return {
    ...client,
    async stream(request, options) {
      const answer = await client.stream(request, options);
      if (answer.cost !== undefined) return answer;
      const cacheTtl = request.cacheMarkers?.ttl ?? (ttl === '1h' ? ttl : '5m');
      const cost = estimateCost(facts(), answer.usage, { speed: request.speed, cacheTtl });
      return cost === undefined ? answer : { ...answer, cost };
    },
  };
}
