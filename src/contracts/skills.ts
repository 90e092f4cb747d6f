/** Where a skill lies. Where several have one name, the first of this order counts: nobody replaces what is the user's. */
const SKILL_ORIGINS = ['user', 'project', 'external', 'bundled'] as const;
export type SkillOrigin = (typeof SKILL_ORIGINS)[number];

/** What the front matter of a SKILL.md says. */
export type SkillFacts = {
  name: string;
  description: string;
  version?: string;
  license?: string;
  compatibility?: string;
  /** Tools that its author recommends; they are no permission. */
  allowedTools?: readonly string[];
  /** `macos`, `linux`, `windows`; everywhere where nothing is said. */
  platforms?: readonly string[];
  tags?: readonly string[];
  relatedSkills?: readonly string[];
  /** All of these have to be there. */
  requiresTools?: readonly string[];
  requiresToolsets?: readonly string[];
  /** It stands in for these: of no use where they are there. */
  fallbackForTools?: readonly string[];
  fallbackForToolsets?: readonly string[];
  /** Variables that have to be set. */
  variables?: readonly string[];
  /** Keys under `skills.config` that it reads, and what counts where nothing is set. */
  config?: Readonly<Record<string, string>>;
  /** Its owner does not want it changed by the agent. */
  pinned?: boolean;
};

export type Skill = SkillFacts & {
  origin: SkillOrigin;
  /** The folders between the place and the skill; `general` where there are none. */
  category: string;
  /** Absolute. */
  folder: string;
};

/** Something that looks like a skill and cannot be used. */
export type SkillFault = { place: string; reason: string };

export type SkillInventory = {
  /** By category and name. */
  skills: readonly Skill[];
  faults: readonly SkillFault[];
  /** Those whose name another one has that counts before them. */
  hidden: readonly Skill[];
};

/** What there is for a skill to use. */
export type SkillNeeds = { toolNames: readonly string[]; toolsets: readonly string[] };

export type SkillText = {
  skill: Skill;
  /** The body of SKILL.md, or the file that was asked for. */
  text: string;
  /** Files beside SKILL.md, relative to its folder. */
  files: readonly string[];
  /** Where it was installed from, if it was. */
  source?: string;
};

export const SKILL_ACTIONS = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const;
export type SkillAction = (typeof SKILL_ACTIONS)[number];

/** A change that the agent wants; which fields it needs depends on the action. */
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
  /** Of a skill that is deleted: the one that has its content now. */
  absorbedInto?: string;
};

/** A change that was looked at and can be made. */
export type PlannedChange = {
  /** What would be done, in one line for the person. */
  subject: string;
  /** What speaks for asking the person first. */
  doubts: readonly { rule: string; matched: string }[];
  /** Makes it; what was done, in words for the model. */
  make(): Promise<string>;
};

/** The skills of one installation, as the agent, its tools and the surfaces see them. Every refusal is a `HermesError`. */
export interface SkillLibrary {
  inventory(): Promise<SkillInventory>;
  /** Those that can be used with what there is. */
  usable(needs: SkillNeeds): Promise<readonly Skill[]>;
  /** The layer of the prompt that names them; undefined where there is nothing to name or no way to read them. */
  index(needs: SkillNeeds): Promise<string | undefined>;
  view(name: string, filePath?: string): Promise<SkillText>;
  /** What a model is sent where the person calls a skill by its name; undefined where there is none. */
  invoke(name: string, words: string): Promise<string | undefined>;
  /** What a model is sent where the person begins with these skills; throws where one cannot be used. */
  begin(names: readonly string[], words: string): Promise<string>;
  plan(change: SkillChange): Promise<PlannedChange>;
}
