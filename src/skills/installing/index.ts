export type { GuardFinding } from '../guard/guard-rule.ts';
export type { Verdict } from '../guard/scan-skill.ts';
export { type AuditEntry, auditSkills, missingSkills } from './audit.ts';
export { withFetchedFolder } from './fetch-source.ts';
export { type InstallCandidate, prepareInstall } from './install.ts';
export { lookAtSkill, lookAtSource, type SkillLook } from './look.ts';
export { removeSkill } from './remove.ts';
export { isRemote } from './source.ts';
