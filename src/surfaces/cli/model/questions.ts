import * as prompts from '@clack/prompts';
import type { Settings } from '../../../config/index.ts';
import {
  findProvider,
  type KnownProvider,
  type LocalServer,
  PROVIDERS,
  type ProviderRow,
} from '../../../providers/index.ts';
import { parseBaseUrl } from '../../../runtime/models/index.ts';
import { printable } from '../style.ts';

/** Thrown when the user cancels a question with Ctrl-C or Esc. */
export class Cancelled extends Error {}

const PROVIDERS_SHOWN = 12;
/**
 * The most common providers. The order of the provider table cannot be used here, because it is the order in which
 * API keys are looked up.
 */
const COMMON_PROVIDERS = ['openrouter', 'anthropic', 'openai', 'gemini', 'copilot', 'ollama', 'custom'];

export function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (prompts.isCancel(value)) throw new Cancelled();
  return value as Exclude<Value, symbol>;
}

/** The current provider and model, listed first. */
export type Current = { provider: string; model?: string };

/** Lists the current provider, then local servers, custom endpoints, and all others. */
export async function askForProvider(
  settings: Settings,
  current: Current | undefined,
  servers: readonly LocalServer[],
): Promise<KnownProvider> {
  const named = settings.customProviders.map(({ name }) => ({ value: name, label: printable(name), hint: 'custom' }));
  const found = servers.map(({ provider, models }) => ({
    value: provider.id,
    label: provider.name,
    hint: `running on this machine: ${printable(models.slice(0, 3).join(', '))}`,
  }));
  const shown = [...PROVIDERS].sort((a, b) => rankOf(a) - rankOf(b));
  const rows = shown.map((row) => ({ value: row.id, label: row.name, hint: hintOf(row) }));
  const all = [...found, ...named, ...rows].filter(
    ({ value }, index, list) => list.findIndex((other) => other.value === value) === index,
  );
  const inUse = all.find(({ value }) => value === current?.provider);
  const first = inUse && { ...inUse, hint: `current${current?.model ? `: ${printable(current.model)}` : ''}` };
  const options = [...(first ? [first] : []), ...all.filter((option) => option !== inUse)];
  const id = answered(await prompts.autocomplete({ message: 'Which provider?', options, maxItems: PROVIDERS_SHOWN }));
  return findProvider(settings, id);
}

function rankOf({ id }: ProviderRow): number {
  const at = COMMON_PROVIDERS.indexOf(id);
  return at < 0 ? COMMON_PROVIDERS.length : at;
}

const HINTS: Partial<Record<ProviderRow['authType'], string>> = {
  login: 'requires a login',
  command: 'uses its own program',
  cloud: "uses the login of the cloud's own programs",
};

function hintOf({ id, local, authType }: ProviderRow): string | undefined {
  if (id === 'custom') return 'any endpoint with a supported API';
  if (local) return 'on this machine';
  return HINTS[authType];
}

/** Asks only if the base URL may differ from the default; the saved one is proposed. */
export async function askForAddress(provider: KnownProvider, saved: string | undefined): Promise<string | undefined> {
  if (provider.baseUrl !== undefined && !provider.local && saved === undefined) return undefined;
  const offered = saved ?? provider.baseUrl;
  const typed = await prompts.text({
    message: 'Base URL',
    placeholder: offered ?? 'http://127.0.0.1:8000/v1',
    defaultValue: offered,
    validate(value) {
      const read = parseBaseUrl(value || offered || '');
      return 'problem' in read ? `It must be ${read.problem}.` : undefined;
    },
  });
  return answered(typed);
}
