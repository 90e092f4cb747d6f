import { homePaths, type Settings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createPromptSource, findHostNotes, type PromptSourceOptions, statHere } from '../prompt/index.ts';
import { scanKnownTexts } from '../scanning/index.ts';

export type PromptOptions = {
  settings: Settings;
  surface: string;
  passSessionId?: boolean;
  /** Who the person wants to talk to, and where it is shown, is nothing to it: it is for a subagent or a batch. */
  impersonal?: boolean;
};

/** The prompt of one agent, about the place where it works. */
export function buildPrompt(
  options: PromptOptions,
  environment: Environment,
  sources: Pick<PromptSourceOptions, 'memory' | 'skills' | 'personality'>,
): ReturnType<typeof createPromptSource> {
  const { settings, surface, passSessionId, impersonal } = options;
  return createPromptSource({
    ...sources,
    home: settings.home,
    workingDirectory: environment.workingDirectory,
    platform: environment.system,
    shell: environment.shell,
    // Looking is quicker without the detour; what is read goes through the environment in any case.
    files: environment.name === 'local' ? { ...environment, stat: async (path) => statHere(path) } : environment,
    scan: scanKnownTexts(homePaths(settings.home).cleanTextsFolder),
    contextFileLimit: settings.contextFileLimit,
    ...(impersonal ? { skipsContext: true } : { surface }),
    namesSession: passSessionId,
    // What is special about this machine says nothing about another.
    ...(environment.name !== 'ssh' && { hostNotes: () => findHostNotes() }),
  });
}
