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
  /** What skills read of the person's own settings, by key. */
  config: Readonly<Record<string, unknown>>;
};

export function readSkillSettings(section: ConfigFile['skills']): SkillSettings {
  return {
    externalDirs: section?.external_dirs ?? [],
    projectDiscovery: section?.project_discovery ?? true,
    trustedProjectDirs: section?.trusted_project_dirs ?? [],
    guardAgentCreated: section?.guard_agent_created ?? false,
    writeApproval: section?.write_approval ?? false,
    creationNudgeInterval: section?.creation_nudge_interval ?? 10,
    indexBudget: section?.index_budget ?? 1_500,
    config: section?.config ?? {},
  };
}
