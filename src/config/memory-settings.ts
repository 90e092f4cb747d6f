import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import type { MemorySettings } from './settings.ts';

export const DEFAULT_MEMORY = { memoryCharacters: 2_200, userCharacters: 1_375, nudgeInterval: 10 } as const;
const HONCHO_URL = 'https://api.honcho.dev';

/** `memory.*`; for Honcho a variable counts where the file says nothing. */
export function readMemorySettings(section: ConfigFile['memory'], variables: EnvironmentVariables): MemorySettings {
  const honcho = section?.honcho;
  return {
    limits: {
      ...((section?.memory_enabled ?? true) && {
        memory: section?.memory_char_limit ?? DEFAULT_MEMORY.memoryCharacters,
      }),
      ...((section?.user_profile_enabled ?? true) && {
        user: section?.user_char_limit ?? DEFAULT_MEMORY.userCharacters,
      }),
    },
    asksFirst: section?.write_approval ?? false,
    nudgeInterval: section?.nudge_interval ?? DEFAULT_MEMORY.nudgeInterval,
    provider: section?.provider?.trim() || undefined,
    honcho: {
      baseUrl: honcho?.base_url ?? (variables['HONCHO_BASE_URL']?.trim() || HONCHO_URL),
      workspace: honcho?.workspace ?? 'hermes',
      userPeer: honcho?.user_peer ?? 'user',
      agentPeer: honcho?.agent_peer ?? 'hermes',
    },
  };
}
