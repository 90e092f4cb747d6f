import { existsSync } from 'node:fs';
import { HermesError } from '../../../base/index.ts';
import {
  type EnvironmentVariables,
  homePaths,
  loadSettings,
  readIfPresent,
  type Settings,
} from '../../../config/index.ts';
import { checkFile } from '../../../config/keys/index.ts';
import { createEnvironment } from '../../../environments/index.ts';
import { findAllPlugins, hookState } from '../../../plugins/index.ts';
import { type CredentialReport, listCredentials } from '../../../providers/credentials/index.ts';
import { diagnoseRoutes, type Diagnosis } from '../../../providers/diagnosis/index.ts';
import { hiddenPaths } from '../../../runtime/index.ts';
import { sandboxProgram } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { describeState } from '../auth/credentials.ts';
import { describeError } from '../report-error.ts';
import { describeTerminal } from '../status/describe-terminal.ts';
import type { Finding } from './finding.ts';

/** Checks the configuration, and returns the settings for the other checks if they can be loaded. */
export async function checkConfiguration(
  home: string,
  env: EnvironmentVariables,
): Promise<{ findings: Finding[]; settings?: Settings }> {
  const { configFile } = homePaths(home);
  try {
    const settings = await loadSettings({ home, env });
    const found = settings.warnings.map((message): Finding => ({ check: 'configuration', status: 'warning', message }));
    const message = existsSync(configFile)
      ? `The configuration in ${configFile} is valid.`
      : `There is no configuration file ${configFile} yet; all settings have their defaults.`;
    const readable: Finding = { check: 'configuration', status: 'ok', message };
    return { settings, findings: [readable, ...(await unknownKeys(configFile)), ...found] };
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { findings: [{ check: 'configuration', status: 'wrong', ...describeError(thrown) }] };
  }
}

/** Reports unknown keys. Loading ignores them, because other programs may use the same file. */
async function unknownKeys(configFile: string): Promise<Finding[]> {
  return checkFile(configFile, (await readIfPresent(configFile)) ?? '')
    .filter(({ kind }) => kind === 'unknown')
    .map(({ line, message, hint }) => {
      const location = line === undefined ? configFile : `${configFile}, line ${line}`;
      return {
        check: 'configuration',
        status: 'warning',
        message: `${location}: ${message}`,
        ...(hint !== undefined && { hint }),
      };
    });
}

/** Reports credentials that are not used, and expired logins that cannot be refreshed. Uses no network. */
export async function checkCredentials(settings: Settings): Promise<Finding[]> {
  try {
    const pools = await listCredentials(settings);
    return pools.flatMap(({ provider, credentials }) =>
      credentials.flatMap((credential) => checkCredential(provider, credential) ?? []),
    );
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [{ check: 'credentials', status: 'wrong', ...describeError(thrown) }];
  }
}

function checkCredential(provider: string, credential: CredentialReport): Finding | undefined {
  const { state, label, reason, expiresAt, renewable } = credential;
  const logIn = `Log in again: hermes auth add ${provider} --login`;
  if (expiresAt !== undefined && !renewable && expiresAt <= Date.now()) {
    return {
      check: 'credentials',
      status: 'wrong',
      message: `The login ${label} of ${provider} has expired.`,
      hint: logIn,
    };
  }
  if (state === 'ready') return undefined;
  return {
    check: 'credentials',
    status: state === 'marked' ? 'wrong' : 'warning',
    message: `${label} of ${provider}: ${describeState(credential)}.`,
    hint: reason === 'login_ended' ? logIn : `Enable it again with: hermes auth reset ${provider}`,
  };
}

/** Checks the model, its fallbacks and the auxiliary models. With `offline`, no host is contacted. */
export async function checkModels(settings: Settings, options: { offline: boolean }): Promise<Finding[]> {
  const found = await diagnoseRoutes(settings, options);
  if (found.some(({ what }) => what.startsWith('model '))) return found.map(toFinding);
  const message = 'No model is configured.';
  return [{ check: 'models', status: 'warning', message, hint: 'Run: hermes setup' }, ...found.map(toFinding)];
}

function toFinding({ what, status, message, hint }: Diagnosis): Finding {
  return { check: 'models', status, message: `${what}: ${message}`, hint };
}

/** Opens and closes the execution environment. Invalid settings are reported by another check. */
export async function checkTerminal(home: string, env: EnvironmentVariables): Promise<Finding[]> {
  const settings = await loadSettings({ home, env }).catch(() => undefined);
  if (settings === undefined) return [];
  try {
    const environment = await createEnvironment({
      terminal: settings.terminal,
      variables: settings.variables,
      workingDirectory: process.cwd(),
      home,
      hidden: () => hiddenPaths(home),
    });
    const problem = await environment.confinementProblem?.();
    await environment.close();
    return [
      { check: 'terminal', status: 'ok', message: `Commands run ${describeTerminal(settings.terminal)}.` },
      ...checkSandbox(settings, problem?.reason),
    ];
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [{ check: 'terminal', status: 'wrong', ...describeError(thrown) }];
  }
}

/** Whether scripts run in the sandbox, and whether the sandbox could be enabled. */
function checkSandbox({ terminal: { backend } }: Settings, problem: string | undefined): Finding[] {
  if (backend !== 'local') return [];
  if (problem === undefined) {
    const message = 'The sandbox works, but is off: only the scripts of execute_code run in it.';
    return [{ check: 'terminal', status: 'ok', message }];
  }
  const message = `The sandbox does not work, so the scripts of execute_code run without it: ${problem}.`;
  const hint = 'See docs/environments.md for what it needs.';
  return [{ check: 'terminal', status: sandboxProgram() === undefined ? 'ok' : 'warning', message, hint }];
}

type Options = { offline: boolean; workingDirectory: string; signal: AbortSignal };

/** Connects to each MCP server. A failure is only a warning, because Hermes starts without its tools. */
export async function checkServers(
  settings: Settings,
  { offline, workingDirectory, signal }: Options,
): Promise<Finding[]> {
  const names = Object.entries(settings.mcpServers ?? {}).flatMap(([name, { enabled }]) => (enabled ? [name] : []));
  if (names.length === 0) return [];
  if (offline) return [{ check: 'servers', status: 'ok', message: `MCP servers: ${names.join(', ')} (not tested).` }];
  const { inspectServer } = await import('../../../runtime/mcp/index.ts');
  return Promise.all(
    names.map(async (name): Promise<Finding> => {
      try {
        const { tools, connectMs } = await inspectServer(settings, name, { workingDirectory, signal });
        return {
          check: 'servers',
          status: 'ok',
          message: `The MCP server ${name} has ${counted(tools.length, 'tool')} (${connectMs} ms).`,
        };
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof HermesError)) throw thrown;
        const { message, hint = `For details, run: hermes mcp test ${name}` } = thrown;
        return {
          check: 'servers',
          status: 'warning',
          message: `The MCP server ${name} is not usable: ${message}`,
          hint,
        };
      }
    }),
  );
}

/** Reports enabled plugins that cannot be loaded and hooks that are not allowed. No plugin code is run. */
export async function checkPlugins(settings: Settings, workingDirectory: string): Promise<Finding[]> {
  const { home, plugins, hooks = [] } = settings;
  const found = await findAllPlugins({ home, workingDirectory, settings: plugins });
  const faults = found.flatMap(({ fault, state, name }): Finding[] => {
    if (state !== 'faulty' || fault === undefined) return [];
    return [
      {
        check: 'plugins',
        status: 'warning',
        message: `The plugin ${name} is skipped: ${fault.reason}.`,
        hint: fault.hint,
      },
    ];
  });
  const waiting = await Promise.all(
    hooks.map(async (hook): Promise<Finding[]> => {
      if ((await hookState(home, hook, workingDirectory)) === 'allowed') return [];
      const hint = 'Review it with `hermes hooks list`, then run `hermes hooks allow`.';
      return [
        {
          check: 'plugins',
          status: 'warning',
          message: `The hook ${hook.key} is not run, because its current form is not allowed.`,
          hint,
        },
      ];
    }),
  );
  const usable = found.filter(({ state }) => state === 'on').length;
  const fine: Finding = {
    check: 'plugins',
    status: 'ok',
    message: `${counted(usable, 'plugin')} enabled; \`hermes plugins check\` loads and checks them.`,
  };
  return [...(usable > 0 ? [fine] : []), ...faults, ...waiting.flat(), ...(await checkGatewayHooks(home))];
}

/** Reports hooks of the messaging gateway that are not run, such as those of the original in Python. */
async function checkGatewayHooks(home: string): Promise<Finding[]> {
  const { findGatewayHooks } = await import('../../gateway/index.ts');
  const { problems } = await findGatewayHooks(home);
  return problems.map((message) => ({ check: 'plugins', status: 'warning', message, hint: 'See docs/gateway.md.' }));
}
