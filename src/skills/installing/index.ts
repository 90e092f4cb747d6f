export type { GuardFinding } from '../guard/guard-rule.ts';
export type { Verdict } from '../guard/scan-skill.ts';
export { withFetchedFolder } from './fetch-source.ts';
export { type InstallCandidate, prepareInstall, removeSkill } from './install.ts';
export { type AuditEntry, auditSkills, lookAtSkill, lookAtSource, missingSkills, type SkillLook } from './look.ts';
export { isRemote } from './source.ts';
