export type { GuardFinding } from '../guard/guard-rules.ts';
export type { Verdict } from '../guard/scan-skill.ts';
export { withFetchedFolder } from './fetch-source.ts';
export {
  type AuditEntry,
  auditSkills,
  inspectSkill,
  inspectSource,
  missingSkills,
  type SkillInspection,
} from './inspect.ts';
export { type InstallCandidate, prepareInstall, removeSkill } from './install.ts';
export { isRemote, parseRemote } from './source.ts';
