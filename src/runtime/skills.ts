import { ConfigurationError, HermesError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { SkillLibrary, SkillNeeds, SkillService } from '../contracts/index.ts';
import { createSkillLibrary } from '../skills/index.ts';
import { builtInTools } from '../toolbox/index.ts';

/** The skills of this installation, seen from where the person works. Nothing is read before somebody asks. */
export function openSkills(settings: Settings, workingDirectory: string): ReturnType<typeof createSkillLibrary> {
  const { home, skills, variables } = settings;
  return createSkillLibrary({ home, workingDirectory, settings: skills, variables });
}

/** What these tools mean for the requirements of skills. */
export function skillNeeds(toolNames: readonly string[]): SkillNeeds {
  const there = new Set(toolNames);
  const toolsets = new Set(builtInTools().flatMap(({ name, toolset }) => (there.has(name) ? [toolset] : [])));
  return { toolNames, toolsets: [...toolsets] };
}

/** For the tools of one agent, which are known when a skill is first asked for. */
export function skillService(library: SkillLibrary, toolNames: () => Promise<readonly string[]>): SkillService {
  return { ...library, needs: async () => skillNeeds(await toolNames()) };
}

/** What a model is sent for a line such as `/code-review src`; undefined for any line that calls no skill. */
export async function callSkill(library: SkillLibrary, line: string): Promise<string | undefined> {
  const [, name, words = ''] = /^\/([a-z0-9][a-z0-9._-]*)(?:\s+([^]*))?$/i.exec(line.trim()) ?? [];
  return name === undefined ? undefined : library.invoke(name.toLowerCase(), words.trim());
}

/** What a model is sent where the person begins with skills. One that cannot be used is wrong usage. */
export async function beginWithSkills(library: SkillLibrary, names: readonly string[], words: string): Promise<string> {
  try {
    return await library.begin(names, words);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new ConfigurationError(`--skills: ${thrown.message}`, { hint: thrown.hint, cause: thrown });
  }
}

/** Projects whose skills wait for a word of the person. */
export function skillWarnings(library: ReturnType<typeof openSkills>): string[] {
  return library
    .places()
    .untrusted.map(
      (project) =>
        `${project} has skills of its own, which are not used. If you trust whoever wrote them: hermes skills trust ${project}`,
    );
}

/** Looks through all skills once, a while after a start, when nobody waits for it. */
export interface SkillCheck {
  later(library: SkillLibrary): void;
  stop(): void;
}

const LATER_MS = 1_500;

/** A prompt is built from a quick look, which does not see texts that were changed in place; the next one does then. */
export function createSkillCheck(): SkillCheck {
  let timer: NodeJS.Timeout | undefined;
  return {
    later(library) {
      timer ??= setTimeout(() => void library.inventory().catch(() => undefined), LATER_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
