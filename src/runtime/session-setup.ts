import { fingerprintOf } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type {
  Environment,
  ModelPreferences,
  Notices,
  SessionSetup,
  SessionStore,
  ToolSet,
  ToolSetChoice,
} from '../contracts/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import type { SessionChoices } from './session-choices.ts';

type ChosenTools = Pick<AgentBlueprint, 'toolsets' | 'allowedTools' | 'disallowedTools'>;

/** Effort and speed at the start of a session. A resumed one keeps its own, whatever the configuration says now. */
export function startPreferences(settings: Settings, stored: SessionSetup | undefined): ModelPreferences {
  if (stored !== undefined) return { effort: stored.effort, speed: stored.speed };
  return { effort: settings.reasoningEffort, speed: settings.speed };
}

/** The tool sets that this start gives, or else those that the session had. */
export function restoreToolsets<Blueprint extends ChosenTools>(
  blueprint: Blueprint,
  stored: SessionSetup | undefined,
): Blueprint {
  const toolsets = stored?.toolSets?.toolsets;
  return givesTools(blueprint) || toolsets === undefined ? blueprint : { ...blueprint, toolsets };
}

function givesTools({ toolsets, allowedTools, disallowedTools }: ChosenTools): boolean {
  return (toolsets ?? allowedTools ?? disallowedTools) !== undefined;
}

/** The choices that decide which tools a session has. */
export function toolSetChoice(
  { toolsets, allowedTools: allowed, disallowedTools: disallowed }: ChosenTools,
  choices: Pick<SessionChoices, 'toolsets'>,
  environment: Pick<Environment, 'sandbox'>,
): ToolSetChoice {
  const { on, off } = choices.toolsets;
  const lists = { ...(toolsets && { toolsets }), ...(allowed && { allowed }), ...(disallowed && { disallowed }) };
  return { on, off, features: featuresOf(environment), ...lists };
}

/** What conditional passages of tool definitions may name besides tools. */
export function featuresOf({ sandbox }: Pick<Environment, 'sandbox'>): string[] {
  return sandbox === undefined ? [] : ['sandbox'];
}

/**
 * The stored setup, if its tools are offered again. They are not if this start gives other tools than the session had:
 * then the user asked for other tools, and the cached prefix cannot be kept.
 */
export function offerToRestore(
  stored: SessionSetup | undefined,
  given: ChosenTools,
  now: ToolSetChoice,
): SessionSetup | undefined {
  const before = stored?.toolSets;
  if (before === undefined) return undefined;
  const pick = ({ on, off, features, ...lists }: ToolSetChoice) => [
    on,
    off,
    features,
    givesTools(given) ? [lists.toolsets, lists.allowed, lists.disallowed] : [],
  ];
  return JSON.stringify(pick(before)) === JSON.stringify(pick(now)) ? stored : undefined;
}

/** Stores the setup of a session when it has changed. */
export interface SetupKeeper {
  /** The setup that the session had when it was resumed. */
  readonly resumed: SessionSetup | undefined;
  /** Must be called only for a stored session. */
  save(sessionId: string): Promise<void>;
}

type SetupParts = {
  store: Pick<SessionStore, 'setSessionSetup'>;
  resumed: SessionSetup | undefined;
  preferences: ModelPreferences;
  tools: Pick<ToolSet, 'offer'>;
  toolSets(): ToolSetChoice;
};

export function createSetupKeeper({ store, resumed, preferences, tools, toolSets }: SetupParts): SetupKeeper {
  // A fingerprint, because many agents may be open. A child session inherits the setup in the store, so the id does not matter.
  let saved = resumed && fingerprintOf(JSON.stringify(resumed));
  return {
    resumed,
    async save(sessionId) {
      const { effort, speed } = preferences;
      const offer = tools.offer?.();
      const setup: SessionSetup = {
        ...(effort && { effort }),
        ...(speed && { speed }),
        toolSets: toolSets(),
        ...(offer?.tools && { tools: offer.tools }),
        ...(offer?.knownTools && { knownTools: offer.knownTools }),
      };
      const current = fingerprintOf(JSON.stringify(setup));
      if (current === saved) return;
      await store.setSessionSetup(sessionId, setup);
      saved = current;
    },
  };
}

const MAX_ANNOUNCED = 30;

/** Adds a notice about tools that can be found with `tool_search` since the last message. */
export function announceTools(others: Notices, tools: Pick<ToolSet, 'findNewTools'>): Notices {
  return {
    async deliver(sessionId, deliver) {
      const found = await tools.findNewTools?.();
      const news = found && describeNewTools(found.names);
      let all: string | undefined;
      await others.deliver(sessionId, (text) => {
        all = [news, text].filter((part) => part !== undefined).join('\n\n') || undefined;
        return deliver(all);
      });
      found?.markKnown();
      return all;
    },
  };
}

function describeNewTools(names: readonly string[]): string {
  const more = names.length - MAX_ANNOUNCED;
  const listed = [...names.slice(0, MAX_ANNOUNCED), ...(more > 0 ? [`and ${more} more`] : [])];
  return `Tools now available through tool_search: ${listed.join(', ')}.`;
}
