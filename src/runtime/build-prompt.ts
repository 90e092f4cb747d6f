import { homePaths, type Settings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createPromptSource, findHostNotes, type PromptSourceOptions, statLocalFile } from '../prompt/index.ts';
import { createScanCache, type PassageReview } from '../scanning/index.ts';

export type PromptOptions = {
  settings: Settings;
  surface: string;
  passSessionId?: boolean;
  addedFolders?: readonly string[];
  /** Omits the surface and everything personal, for subagents and batch runs. */
  impersonal?: boolean;
};

/** Creates the prompt source of one agent for its environment. */
export function buildPrompt(
  options: PromptOptions,
  environment: Environment,
  {
    reviewPassages,
    ...sources
  }: Pick<PromptSourceOptions, 'memory' | 'skills' | 'personality' | 'additions'> & {
    reviewPassages?: PassageReview | undefined;
  },
): ReturnType<typeof createPromptSource> {
  const { settings, surface, passSessionId, impersonal } = options;
  return createPromptSource({
    ...sources,
    home: settings.home,
    workingDirectory: environment.workingDirectory,
    addedFolders: options.addedFolders,
    platform: environment.system,
    shell: environment.shell,
    // On the local machine, a direct stat is faster. Files are still read through the environment.
    files: environment.name === 'local' ? { ...environment, stat: async (path) => statLocalFile(path) } : environment,
    scan: createScanCache(homePaths(settings.home).scanCacheFolder, reviewPassages),
    contextFileLimit: settings.contextFileLimit,
    contextFiles: settings.contextFiles,
    ...(impersonal ? { skipsContext: true } : { surface }),
    namesSession: passSessionId,
    // Notes about this machine do not apply to a remote one.
    ...(environment.name !== 'ssh' && { hostNotes: () => findHostNotes() }),
  });
}
