import type { SkillFacts, SkillNeeds } from '../contracts/index.ts';

/** The platform and environment that skills are checked against. */
export type SkillEnvironment = { platform: string; variables: Readonly<Record<string, string | undefined>> };

const PLATFORM_NAMES: Readonly<Record<string, string>> = { darwin: 'macos', linux: 'linux', win32: 'windows' };

/** Why a skill cannot be used here; undefined if it can. */
export function findUnmetRequirement(
  facts: SkillFacts,
  needs: SkillNeeds,
  machine: SkillEnvironment,
): string | undefined {
  const platform = PLATFORM_NAMES[machine.platform] ?? machine.platform;
  if (facts.platforms !== undefined && !facts.platforms.includes(platform))
    return `it supports only ${facts.platforms.join(', ')}`;
  const unset = (facts.variables ?? []).filter((name) => !machine.variables[name]);
  if (unset.length > 0) return `the environment variable ${unset.join(', ')} is not set`;
  const missing = [
    ...missingFrom(facts.requiresTools, needs.toolNames),
    ...missingFrom(facts.requiresToolsets, needs.toolsets).map((name) => `the tool set ${name}`),
  ];
  if (missing.length > 0) return `it requires ${missing.join(', ')}`;
  const present = [
    ...presentIn(facts.fallbackForTools, needs.toolNames),
    ...presentIn(facts.fallbackForToolsets, needs.toolsets),
  ];
  return present.length > 0 ? `it is a fallback for ${present.join(', ')}, which is available` : undefined;
}

function missingFrom(wanted: readonly string[] | undefined, there: readonly string[]): readonly string[] {
  return (wanted ?? []).filter((name) => !there.includes(name));
}

function presentIn(wanted: readonly string[] | undefined, there: readonly string[]): readonly string[] {
  return (wanted ?? []).filter((name) => there.includes(name));
}
