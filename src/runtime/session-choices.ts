import type { Agent } from '../agent/index.ts';
import type { Settings } from '../config/index.ts';
import type { ModelRoute, RouteSource } from '../contracts/index.ts';
import { PERSONALITIES, personalityLayer } from '../prompt/index.ts';

/** What a person chose for one session beside its model. Whoever opened the session may change it at any time. */
export type SessionChoices = {
  /** No question about dangerous commands; what is blocked stays blocked. Counts at once. */
  yolo: boolean;
  /** How the agent speaks, by name; counts when the prompt is built anew. */
  personality: string | undefined;
  /** Tool sets that were switched on or off; counts for an agent that is opened afterwards. */
  toolsets: ToolSwitches;
};

export type ToolSwitches = { readonly on: readonly string[]; readonly off: readonly string[] };

/** All personalities by name: those of the person count first. */
export function personalitiesOf({ personalities = {} }: Pick<Settings, 'personalities'>): Record<string, string> {
  return { ...PERSONALITIES, ...personalities };
}

/** The text of a personality; undefined for none, and for one that is not there any more. */
export function personalityText(settings: Settings, name: string | undefined): string | undefined {
  const all = personalitiesOf(settings);
  return name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
}

/** What a session begins with. One that is resumed speaks as its prompt says. */
export function startChoices(
  settings: Settings,
  { yolo = false, systemPrompt }: { yolo?: boolean; systemPrompt?: string | undefined },
): SessionChoices {
  const spoken = Object.entries(personalitiesOf(settings)).find(
    ([, text]) => systemPrompt?.includes(personalityLayer(text)) ?? false,
  );
  const personality = systemPrompt === undefined ? settings.personality : spoken?.[0];
  return { yolo, personality, toolsets: { on: [], off: [] } };
}

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
