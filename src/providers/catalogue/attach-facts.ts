import type { CacheTtl, Credential, ModelClient, ModelFacts, ModelRoute } from '../../contracts/index.ts';
import { estimateCost } from './cost.ts';
import { findFacts } from './find-facts.ts';

/** Where the facts about a route's model come from. */
export type FactsSource = {
  /** What the person wrote down; stronger than everything else. */
  written: ModelFacts;
  /** Whose service the address is; undefined where it is nobody's we know, and then nothing has a price. */
  service: string | undefined;
  /** A server of one's own, which can be asked itself. */
  local: boolean;
  home: string;
};

/** For a model of which nothing is known: what nearly every model of today has, so that little is cut for nothing. */
const CONSERVATIVE_WINDOW = 128_000;

/**
 * The same route, which knows its model: its window, its abilities, and what each answer costs. Facts are looked up
 * when somebody wants one, which is mostly after the first answer; a start does not wait for it.
 */
export async function attachFacts(
  route: ModelRoute,
  source: FactsSource,
  credential: Credential | undefined,
): Promise<ModelRoute> {
  let known: ModelFacts | undefined;
  const facts = () => (known ??= collectFacts(route.model, source));
  // Written down by the person, or asked from the server when the route was opened.
  const given = route.contextLength;
  const local = source.local && given === undefined ? await openLocalWindow(route, source, credential) : undefined;
  const client = createPricedClient(route.client, facts, route.cacheTtl);
  return {
    ...route,
    client: local?.watch(client) ?? client,
    get facts() {
      return facts();
    },
    get contextLength() {
      return given ?? local?.current() ?? facts().contextLength ?? CONSERVATIVE_WINDOW;
    },
  };
}

async function openLocalWindow(route: ModelRoute, { home }: FactsSource, credential: Credential | undefined) {
  // Loaded here, because most routes lead elsewhere.
  const { createLocalWindow } = await import('./local-window.ts');
  return createLocalWindow(home, { baseUrl: route.baseUrl, model: route.model, credential });
}

/** What was written down, over what the catalogue says. */
export function collectFacts(model: string, { written, service, local, home }: FactsSource): ModelFacts {
  const { fastPrice, subscription, ...known } = findFacts({ provider: service, model, home, local });
  // Whoever writes down a price pays by it, and nothing is known of any other.
  if (written.price !== undefined) return { ...known, ...written };
  return {
    ...known,
    ...(fastPrice === undefined ? {} : { fastPrice }),
    ...(subscription === undefined ? {} : { subscription }),
    ...written,
  };
}

/** A client that says what each answer cost, where the provider does not say it itself. */
export function createPricedClient(client: ModelClient, facts: () => ModelFacts, cacheTtl?: CacheTtl): ModelClient {
  return {
    ...client,
    async stream(request, options) {
      const answer = await client.stream(request, options);
      if (answer.cost !== undefined) return answer;
      const cost = estimateCost(facts(), answer.usage, { speed: request.speed, cacheTtl });
      return cost === undefined ? answer : { ...answer, cost };
    },
  };
}
