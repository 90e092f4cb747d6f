import { ConfigurationError } from '../base/index.ts';
import { normaliseUrl, findUrlProblem, type ModelChoice, variableLocation, type Settings } from '../config/index.ts';
import type { ApiMode } from '../contracts/index.ts';
import { isSameUrl, type KnownProvider } from './find-provider.ts';

export type FoundBaseUrl = {
  baseUrl: string;
  /** The config location of the base URL. */
  location: string;
  /** Whether it is the provider's own address, not a custom one. */
  isOwn: boolean;
  /** The API mode that the address implies. */
  apiMode?: ApiMode;
  warnings: string[];
};

/** The base URL of a choice: its own, else that of the provider, else for a custom endpoint that of the environment. */
export function findBaseUrl(settings: Settings, provider: KnownProvider, choice: ModelChoice): FoundBaseUrl {
  const written = configuredBaseUrl(settings, provider, choice);
  if (written === undefined) {
    throw new ConfigurationError(`The provider "${choice.provider ?? provider.id}" has no base URL.`, {
      hint: 'Set model.base_url in config.yaml, or run `hermes setup`.',
    });
  }
  // The base URL of a model command is a name, so it is not validated as a URL.
  if (provider.authType === 'command') return { ...written, isOwn: true, warnings: [] };
  // Values from config.yaml were validated there, but not those of environment variables.
  const fault = findUrlProblem(written.baseUrl);
  if (fault !== undefined) {
    throw new ConfigurationError(`The base URL from ${written.location} must be ${fault.expected}.`, {
      hint: fault.hint,
    });
  }
  const { baseUrl, removed, apiMode } = normaliseUrl(written.baseUrl);
  const warnings = removed === undefined ? [] : [describeIgnoredSuffix(written.location, removed, baseUrl)];
  const isOwn = choice.baseUrl === undefined || isSameUrl(baseUrl, provider.baseUrl ?? '');
  return { baseUrl, location: written.location, isOwn, apiMode, warnings };
}

function describeIgnoredSuffix(location: string, removed: string, baseUrl: string): string {
  return `The base URL from ${location} ends with ${removed}, which was ignored. Change it to ${baseUrl}.`;
}

function configuredBaseUrl(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
): { baseUrl: string; location: string } | undefined {
  if (choice.baseUrl !== undefined) return { baseUrl: choice.baseUrl, location: choice.baseUrlLocation ?? 'base_url' };
  if (provider.baseUrl !== undefined) {
    return {
      baseUrl: provider.baseUrl,
      location: provider.baseUrlLocation ?? `the built-in base URL of ${provider.name}`,
    };
  }
  const baseUrl = settings.variables['OPENAI_BASE_URL'];
  return baseUrl ? { baseUrl, location: variableLocation(settings, 'OPENAI_BASE_URL') } : undefined;
}

const LOCAL_NAMES = new Set(['localhost', 'host.docker.internal', 'host.containers.internal']);

/** Loopback and private addresses: local servers, which need no key and may be slow. */
export function isLocalEndpoint(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)
    ?.hostname.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (host === undefined) return false;
  if (LOCAL_NAMES.has(host) || host.endsWith('.local') || host.endsWith('.localhost')) return true;
  return host.includes(':') ? isPrivateIpv6(host) : isPrivateIpv4(host);
}

function isPrivateIpv4(host: string): boolean {
  const parts = host.split('.').map(Number);
  if (parts.length !== 4 || parts.some(Number.isNaN)) return false;
  const [first = -1, second = -1] = parts;
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** Loopback, link-local and unique local addresses. */
function isPrivateIpv6(host: string): boolean {
  return host === '::1' || host === '::' || /^f(?:[cd]|e[89ab])/.test(host) || host.startsWith('::ffff:7f');
}
