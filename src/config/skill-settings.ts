import type { ConfigFile } from './schema.ts';

/** `skills.*` */
export type SkillSettings = {
  /** Additional skill directories, as configured. */
  externalDirs: readonly string[];
  /** Whether to look for skills in the project. */
  projectDiscovery: boolean;
  /** Projects whose skills may be used. */
  trustedProjectDirs: readonly string[];
  /** Scan skills written by the agent like downloaded ones, and ask the user if the scan finds something. */
  guardAgentCreated: boolean;
  /** Ask before the agent changes a skill. */
  writeApproval: boolean;
  /** Steps with tool calls after which a review looks for something worth saving as a skill; 0 for never. */
  creationNudgeInterval: number;
  /** The maximum number of tokens of the skill index in the prompt. */
  indexBudget: number;
  /** Skill catalogues to search: files, folders, URLs and repositories, as configured. */
  indexes: readonly string[];
  /** Whether to search npm for skills. */
  searchNpm: boolean;
  /** Settings that skills can read, by key. */
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
