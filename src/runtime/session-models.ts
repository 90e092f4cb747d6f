import type { Agent } from '../agent/index.ts';
import type { ModelRoute, RouteSource } from '../contracts/index.ts';

/** The models of one session, which may be others than those the process started with. */
export interface SessionModels {
  /** The primary first, then the fallbacks. */
  routes(): readonly RouteSource[];
  /** Someone chose them for this session. */
  areChosen(): boolean;
  /** Goes on with these from the next turn on; throws while one runs. */
  use(routes: readonly RouteSource[]): void;
  /** The primary, ready to be called; undefined where it cannot be opened, of which its first call tells. */
  openPrimary(): Promise<ModelRoute | undefined>;
}

export function createSessionModels(agent: Agent, start: readonly RouteSource[]): SessionModels {
  let chosen: readonly RouteSource[] | undefined;
  const routes = () => chosen ?? start;
  return {
    routes,
    areChosen: () => chosen !== undefined,
    use(others) {
      agent.useRoutes(others);
      chosen = others;
    },
    async openPrimary() {
      try {
        return await routes()[0]?.open();
      } catch {
        return undefined;
      }
    },
  };
}

/** Which model answers, and which ones come after it. */
export function describeChain(routes: readonly RouteSource[]): string {
  const [first, ...others] = routes.map(({ model, provider }) => `${model} (${provider})`);
  return others.length === 0 ? `${first}` : `${first}, then ${others.join(', ')}`;
}
