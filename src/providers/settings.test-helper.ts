import type { Settings } from '../config/index.ts';
import { choosePrimary, type RouteFlags } from './choose-provider.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';

/** Empty settings with the given changes. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  return {
    home: '/home/of/hermes',
    model: {},
    fallbacks: [],
    customProviders: [],
    auxiliary: {},
    maxTurns: 90,
    maxIdenticalCalls: 8,
    retrySeconds: undefined,
    streamStaleTimeoutSeconds: undefined,
    reasoningEffort: undefined,
    speed: undefined,
    limits: {},
    approvals: { mode: 'manual', timeoutSeconds: 300 },
    terminal: { backend: 'local', passedVariables: [], sandboxNetwork: true, ssh: {} },
    commandAllowlist: [],
    skills: {
      externalDirs: [],
      projectDiscovery: true,
      trustedProjectDirs: [],
      guardAgentCreated: false,
      writeApproval: false,
      creationNudgeInterval: 10,
      indexBudget: 1_500,
      indexes: [],
      searchNpm: false,
      config: {},
    },
    busyInputMode: undefined,
    display: {
      plain: false,
      bell: true,
      notifications: 'auto',
      showReasoning: false,
      ignoredSettings: true,
      theme: 'auto',
    },
    variables: {},
    warnings: [],
    ...changes,
  };
}

/** The endpoint of the primary route. */
export function endpointOf(settings: Settings, flags: RouteFlags = {}): Endpoint {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) throw new Error('nothing was chosen');
  return toEndpoint(settings, primary);
}
