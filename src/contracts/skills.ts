import { HermesError } from '../base/index.ts';

/**
 * Skill scopes. If several skills have the same name, the first in this order wins, so that nothing overrides the
 * user's own.
 */
const SKILL_SCOPES = ['user', 'project', 'external', 'bundled'] as const;
export type SkillScope = (typeof SKILL_SCOPES)[number];

/** The front matter of a SKILL.md. */
export type SkillFacts = {
  name: string;
  description: string;
  /** Mistakes that do not make the skill invalid, such as a description that was too long. */
  warnings?: readonly string[];
  version?: string;
  license?: string;
  compatibility?: string;
  /** Tools that the author recommends; this grants no permission. */
  allowedTools?: readonly string[];
  /** `macos`, `linux`, `windows`; all platforms if absent. */
  platforms?: readonly string[];
  tags?: readonly string[];
  relatedSkills?: readonly string[];
  /** The skill requires all of these tools and tool sets. */
  requiresTools?: readonly string[];
  requiresToolsets?: readonly string[];
  /** The skill is a fallback: it is hidden if these are available. */
  fallbackForTools?: readonly string[];
  fallbackForToolsets?: readonly string[];
  /** Environment variables that must be set. */
  variables?: readonly string[];
  /** Keys under `skills.config` that the skill reads, with their defaults. */
  config?: Readonly<Record<string, string>>;
  /** The agent must not change this skill. */
  pinned?: boolean;
};

export type Skill = SkillFacts & {
  origin: SkillScope;
  /** The folders between the skill directory and the skill; `general` if there are none. */
  category: string;
  /** Absolute path. */
  folder: string;
};

/** A folder that looks like a skill but cannot be used. */
export type SkillFault = { place: string; reason: string };

export type SkillInventory = {
  /** Sorted by category and name. */
  skills: readonly Skill[];
  faults: readonly SkillFault[];
  /** Skills hidden by another skill with the same name that has precedence. */
  hidden: readonly Skill[];
};

/** The tools and tool sets that skills can require. */
export type SkillNeeds = { toolNames: readonly string[]; toolsets: readonly string[] };

export type SkillText = {
  skill: Skill;
  /** The body of SKILL.md, or the requested file. */
  text: string;
  /** Other files of the skill, relative to its folder. */
  files: readonly string[];
  /** The source of an installed skill; absent for other skills. */
  source?: string;
};

export const SKILL_ACTIONS = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const;
export type SkillAction = (typeof SKILL_ACTIONS)[number];

/** A change requested by the agent. The required fields depend on the action. */
export type SkillChange = {
  action: SkillAction;
  name: string;
  content?: string;
  oldString?: string;
  newString?: string;
  replaceAll?: boolean;
  category?: string;
  filePath?: string;
  fileContent?: string;
  /** For a deleted skill: the skill that now contains its content. */
  absorbedInto?: string;
};

/** A validated change that can be applied. */
export type PlannedChange = {
  /** A description of the change for the user, in one line. */
  subject: string;
  /** Reasons to ask the user first. */
  approvalReasons: readonly { rule: string; matched: string }[];
  /** Applies the change and returns a description for the model. */
  apply(): Promise<string>;
};

/** The installed skills, as agents, tools and surfaces use them. Errors are `HermesError`. */
export interface SkillLibrary {
  inventory(): Promise<SkillInventory>;
  /** The skills whose requirements are met. */
  usable(needs: SkillNeeds): Promise<readonly Skill[]>;
  /** The prompt layer that lists the skills; undefined if there are none or no tool can read them. */
  index(needs: SkillNeeds): Promise<string | undefined>;
  view(name: string, filePath?: string): Promise<SkillText>;
  /** The message to send when the user calls a skill by name; undefined if it does not exist. */
  invoke(name: string, words: string): Promise<string | undefined>;
  /** The message to send when the user starts with these skills. Throws if one cannot be used. */
  begin(names: readonly string[], words: string): Promise<string>;
  plan(change: SkillChange): Promise<PlannedChange>;
}

/** Thrown if no skill has this name. Tools replace the hint, because it names a command for the user. */
export class UnknownSkill extends HermesError {
  readonly hasSimilarNames: boolean;

  constructor(name: string, similar: readonly string[]) {
    const isAlone = similar.length === 0;
    const hint = isAlone ? 'Run `hermes skills list` to list all skills.' : `Did you mean ${similar.join(' or ')}?`;
    super(`Skill not found: "${name}".`, { hint });
    this.hasSimilarNames = !isAlone;
  }
}
