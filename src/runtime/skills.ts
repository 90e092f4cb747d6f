import { ConfigurationError, HermesError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { SkillLibrary, SkillNeeds, SkillService } from '../contracts/index.ts';
import { createSkillLibrary } from '../skills/index.ts';
import { builtInTools } from '../toolbox/index.ts';

/** The skills that are visible from the working directory. Nothing is read until it is needed. */
export function openSkills(settings: Settings, workingDirectory: string): ReturnType<typeof createSkillLibrary> {
  const { home, skills, variables } = settings;
  return createSkillLibrary({ home, workingDirectory, settings: skills, variables });
}

/** Converts tool names into what skills can require: tools and tool sets. */
export function skillNeeds(toolNames: readonly string[]): SkillNeeds {
  const there = new Set(toolNames);
  const toolsets = new Set(builtInTools().flatMap(({ name, toolset }) => (there.has(name) ? [toolset] : [])));
  return { toolNames, toolsets: [...toolsets] };
}

/** A skill service for one agent, whose tools are known only when a skill is first used. */
export function skillService(library: SkillLibrary, toolNames: () => Promise<readonly string[]>): SkillService {
  return { ...library, needs: async () => skillNeeds(await toolNames()) };
}

/** The message to send for a line such as `/code-review src`; undefined if the line does not call a skill. */
export async function callSkill(library: SkillLibrary, line: string): Promise<string | undefined> {
  const [, name, words = ''] = /^\/([a-z0-9][a-z0-9._-]*)(?:\s+([^]*))?$/i.exec(line.trim()) ?? [];
  return name === undefined ? undefined : library.invoke(name.toLowerCase(), words.trim());
}

/** The message to send when the user starts with `--skills`. An unusable skill is a usage error. */
export async function startWithSkills(library: SkillLibrary, names: readonly string[], words: string): Promise<string> {
  try {
    return await library.begin(names, words);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new ConfigurationError(`--skills: ${thrown.message}`, { hint: thrown.hint, cause: thrown });
  }
}

/** Warnings about projects whose skills the user has not trusted yet. */
export function skillWarnings(library: ReturnType<typeof openSkills>): string[] {
  return library
    .directories()
    .untrusted.map(
      (project) =>
        `${project} has its own skills, which are not used until you trust them. To trust their author: hermes skills trust ${project}`,
    );
}

/** Reads all skills once, a moment after startup, in the background. */
export interface SkillCheck {
  schedule(library: SkillLibrary): void;
  stop(): void;
}

const CHECK_DELAY_MS = 1_500;

/**
 * Checks all skills completely. The prompt is built from a quick check that misses files changed in place, so this
 * check updates the index for the next prompt.
 */
export function createSkillCheck(): SkillCheck {
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule(library) {
      timer ??= setTimeout(() => void library.inventory().catch(() => undefined), CHECK_DELAY_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
