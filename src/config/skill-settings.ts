import type { ConfigFile } from './schema.ts';

/** `skills.*` */
export type SkillSettings = {
  /** Folders with skills besides our own, as they were written. */
  externalDirs: readonly string[];
  /** Whether a project's own skills are looked for. */
  projectDiscovery: boolean;
  /** Projects whose skills may be used. */
  trustedProjectDirs: readonly string[];
  /** What the agent writes is scanned like a skill of others, and asked about where that finds something. */
  guardAgentCreated: boolean;
  /** The agent asks before it changes a skill. */
  writeApproval: boolean;
  /** Steps with tools after which a review looks for something worth keeping; 0 for never. */
  creationNudgeInterval: number;
  /** The most tokens that the skill index may take in the prompt. */
  indexBudget: number;
  /** Where skills that are not here are looked for: files, folders, addresses and repositories, as they were written. */
  indexes: readonly string[];
  /** Whether npm is asked for skills that are not here. */
  searchNpm: boolean;
  /** What skills read of the person's own settings, by key. */
  config: Readonly<Record<string, unknown>>;
};

export const DEFAULT_SKILLS: SkillSettings = Object.freeze({
  externalDirs: [],
  projectDiscovery: true,
  trustedProjectDirs: [],
  guardAgentCreated: false,
  writeApproval: false,
  creationNudgeInterval: 10,
  indexBudget: 1_500,
  indexes: [],
  searchNpm: true,
  config: {},
});

export function readSkillSettings(section: ConfigFile['skills']): SkillSettings {
  return {
    externalDirs: section?.external_dirs ?? DEFAULT_SKILLS.externalDirs,
    projectDiscovery: section?.project_discovery ?? DEFAULT_SKILLS.projectDiscovery,
    trustedProjectDirs: section?.trusted_project_dirs ?? DEFAULT_SKILLS.trustedProjectDirs,
    guardAgentCreated: section?.guard_agent_created ?? DEFAULT_SKILLS.guardAgentCreated,
    writeApproval: section?.write_approval ?? DEFAULT_SKILLS.writeApproval,
    creationNudgeInterval: section?.creation_nudge_interval ?? DEFAULT_SKILLS.creationNudgeInterval,
    indexBudget: section?.index_budget ?? DEFAULT_SKILLS.indexBudget,
    indexes: section?.indexes ?? DEFAULT_SKILLS.indexes,
    searchNpm: section?.search_npm ?? DEFAULT_SKILLS.searchNpm,
    config: section?.config ?? DEFAULT_SKILLS.config,
  };
}
