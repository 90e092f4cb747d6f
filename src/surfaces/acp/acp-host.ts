import { OWNER } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import { resolveHome } from '../../config/index.ts';
import { type AgentBlueprint, loadModels, type Runtime, createRuntime } from '../../runtime/index.ts';
import { addPluginCommands, createSlashRegistry, SLASH_COMMANDS, type SlashRegistry } from '../slash/index.ts';
import { noModel } from './acp-failure.ts';
import { PLAIN } from './commands.ts';

export type HostOptions = {
  env: EnvironmentVariables;
  workingDirectory: string;
  /** Called with a session that got a title in the background. */
  onTitle(sessionId: string, title: string): void;
  /** Called once with the runtime, as soon as it is open. */
  onOpened(runtime: Runtime): void;
  /** Called when plugins have added slash commands. */
  onCommands(): void;
};

export type OpenedHost = { runtime: Runtime; blueprint: AgentBlueprint; registry: SlashRegistry };

/** What all sessions share. It is opened by the first one that needs it, so that `initialize` does not wait for it. */
export interface AcpHost {
  /** Throws while no model is configured; the next call tries again. */
  open(): Promise<OpenedHost>;
  close(): Promise<void>;
}

export function createHost(options: HostOptions): AcpHost {
  let opening: Promise<OpenedHost> | undefined;
  return {
    open() {
      const current = (opening ??= openHost(options));
      // A model may be configured meanwhile.
      current.catch(() => {
        if (opening === current) opening = undefined;
      });
      return current;
    },
    async close() {
      const opened = await opening?.catch(() => undefined);
      await opened?.runtime.close();
    },
  };
}

async function openHost({ env, workingDirectory, onTitle, onOpened, onCommands }: HostOptions): Promise<OpenedHost> {
  const { settings, models } = await loadModels({ home: resolveHome(env), env });
  if (models === undefined) throw noModel();
  const runtime = await createRuntime({
    settings,
    routes: models.routes,
    auxiliaryRoutes: models.auxiliaryRoutes,
    workingDirectory,
    source: 'acp',
    actor: OWNER,
    attended: true,
    onTitle,
  });
  onOpened(runtime);
  const registry = createSlashRegistry(SLASH_COMMANDS);
  const print = (text: string) => runtime.logger.warn('could not add a command of a plugin', { reason: text.trim() });
  const added = addPluginCommands({ registry, runtime, print, style: PLAIN });
  added
    .then(onCommands)
    .catch((thrown: unknown) => runtime.logger.error('could not add the commands of plugins', {}, thrown));
  for (const warning of [...settings.warnings, ...models.warnings, ...runtime.warnings()]) runtime.logger.warn(warning);
  return { runtime, blueprint: runtime.blueprint, registry };
}
