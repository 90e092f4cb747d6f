import type { Agent } from '../agent/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuxiliaryRoutes, ModelRoute, RouteSource, SessionSetup } from '../contracts/index.ts';
import { PERSONALITIES, personalityLayer, type PromptAdditions, readAdditions } from '../prompt/index.ts';
import type { SessionAuxiliary } from './auxiliary/open-auxiliary.ts';

/** What the user chose for one session, except for its model. It may change at any time. */
export type SessionChoices = {
  /** Skips approval prompts for dangerous commands; blocked commands stay blocked. Takes effect immediately. */
  yolo: boolean;
  /** Plan mode: only read-only tools run. Takes effect immediately, and the model reads of it in its next message. */
  plan: boolean;
  /**
   * Whether commands run in the sandbox; undefined for what the settings say. Takes effect for agents opened afterwards.
   */
  sandbox?: boolean;
  /** The name of a personality. Takes effect when the system prompt is rebuilt. */
  personality: string | undefined;
  /** What the user adds to the system prompt. It never changes, so that providers keep the session in their cache. */
  additions?: PromptAdditions | undefined;
  /** Tool sets that were enabled or disabled. Takes effect for agents opened afterwards. */
  toolsets: ToolSwitches;
};

/** The modes of a session: which operations run, need approval or are refused. */
export const SESSION_MODES = ['default', 'plan', 'yolo'] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

/** The mode of a session. Plan mode refuses what YOLO would allow, so it comes first. */
export function modeOf({ yolo, plan }: Pick<SessionChoices, 'yolo' | 'plan'>): SessionMode {
  return plan ? 'plan' : yolo ? 'yolo' : 'default';
}

export function setMode(choices: Pick<SessionChoices, 'yolo' | 'plan'>, mode: SessionMode): void {
  choices.plan = mode === 'plan';
  choices.yolo = mode === 'yolo';
}

export type ToolSwitches = { readonly on: readonly string[]; readonly off: readonly string[] };

/** All personalities by name. Those in the settings override the built-in ones. */
export function personalitiesOf({ personalities = {} }: Pick<Settings, 'personalities'>): Record<string, string> {
  return { ...PERSONALITIES, ...personalities };
}

/** The text of a personality; undefined for no name or an unknown one. */
export function personalityText(settings: Settings, name: string | undefined): string | undefined {
  const all = personalitiesOf(settings);
  return name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
}

/**
 * The initial choices. A resumed session keeps the personality and the additions of its stored prompt, and the tool
 * sets that were switched on or off.
 */
export function startChoices(
  settings: Settings,
  {
    yolo = false,
    plan = settings.approvals.planMode ?? false,
    additions,
    systemPrompt,
    setup,
  }: {
    yolo?: boolean;
    plan?: boolean;
    additions?: PromptAdditions | undefined;
    systemPrompt?: string | undefined;
    setup?: SessionSetup | undefined;
  },
): SessionChoices {
  const spoken = Object.entries(personalitiesOf(settings)).find(
    ([, text]) => systemPrompt?.includes(personalityLayer(text)) ?? false,
  );
  const personality = systemPrompt === undefined ? settings.personality : spoken?.[0];
  const kept = systemPrompt === undefined ? additions : readAdditions(systemPrompt);
  const { on = [], off = [] } = setup?.toolSets ?? {};
  return { yolo, plan, personality, additions: kept, toolsets: { on, off } };
}

/** The models of one session, which may differ from those the process started with. */
export interface SessionModels {
  /** The primary route first, then the fallbacks. */
  routes(): readonly RouteSource[];
  /** Whether the routes were chosen for this session. */
  areChosen(): boolean;
  /** The routes of auxiliary tasks, if they were chosen for this session. */
  auxiliaryRoutes(): AuxiliaryRoutes | undefined;
  /**
   * Switches to these routes from the next turn on; throws during a turn. Auxiliary tasks of the session follow if
   * their routes are given.
   */
  use(routes: readonly RouteSource[], auxiliaryRoutes?: AuxiliaryRoutes): void;
  /** Opens the primary route; undefined if it cannot be opened. The first call of the route will report the reason. */
  openPrimary(): Promise<ModelRoute | undefined>;
}

export function createSessionModels(
  agent: Agent,
  start: readonly RouteSource[],
  auxiliary?: Pick<SessionAuxiliary, 'useRoutes'>,
): SessionModels {
  let chosen: readonly RouteSource[] | undefined;
  let chosenAuxiliary: AuxiliaryRoutes | undefined;
  const routes = () => chosen ?? start;
  return {
    routes,
    areChosen: () => chosen !== undefined,
    auxiliaryRoutes: () => chosenAuxiliary,
    use(others, auxiliaryRoutes) {
      agent.useRoutes(others);
      chosen = others;
      chosenAuxiliary = auxiliaryRoutes;
      if (auxiliaryRoutes !== undefined) auxiliary?.useRoutes(agent.sessionId, auxiliaryRoutes);
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

/** One line with the primary model and its fallbacks. */
export function describeChain(routes: readonly RouteSource[]): string {
  const [first, ...others] = routes.map(({ model, provider }) => `${model} (${provider})`);
  return others.length === 0 ? `${first}` : `${first}, then ${others.join(', ')}`;
}
