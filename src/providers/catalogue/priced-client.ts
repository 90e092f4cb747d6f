import type { CacheTtl, ModelClient, ModelFacts } from '../../contracts/index.ts';
import { estimateCost } from './cost.ts';

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
