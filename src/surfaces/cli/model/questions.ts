import * as prompts from '@clack/prompts';
import type { Settings } from '../../../config/index.ts';
import {
  findProvider,
  type KnownProvider,
  type LocalServer,
  PROVIDERS,
  type ProviderRow,
} from '../../../providers/index.ts';
import { readTypedAddress } from '../../../runtime/models/index.ts';
import { showable } from '../style.ts';

/** Thrown by a question that was left with Ctrl-C or Esc. */
export class Cancelled extends Error {}

const PROVIDERS_SHOWN = 12;
/** What most people come with. The order of the table is another: that in which keys are looked at. */
const FIRST_SHOWN = ['openrouter', 'anthropic', 'openai', 'gemini', 'copilot', 'ollama', 'custom'];

export function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (prompts.isCancel(value)) throw new Cancelled();
  return value as Exclude<Value, symbol>;
}

/** What is used now, which is offered first. */
export type Current = { provider: string; model?: string };

/** The provider in use first, then servers that run here, endpoints of one's own, and all others. */
export async function askForProvider(
  settings: Settings,
  current: Current | undefined,
  servers: readonly LocalServer[],
): Promise<KnownProvider> {
  const named = settings.customProviders.map(({ name }) => ({ value: name, label: showable(name), hint: 'your own' }));
  const found = servers.map(({ provider, models }) => ({
    value: provider.id,
    label: provider.name,
    hint: `runs on this machine: ${showable(models.slice(0, 3).join(', '))}`,
  }));
  const shown = [...PROVIDERS].sort((a, b) => rankOf(a) - rankOf(b));
  const rows = shown.map((row) => ({ value: row.id, label: row.name, hint: hintOf(row) }));
  const all = [...found, ...named, ...rows].filter(
    ({ value }, index, list) => list.findIndex((other) => other.value === value) === index,
  );
  const inUse = all.find(({ value }) => value === current?.provider);
  const first = inUse && { ...inUse, hint: `in use${current?.model ? `: ${showable(current.model)}` : ''}` };
  const options = [...(first ? [first] : []), ...all.filter((option) => option !== inUse)];
  const id = answered(
    await prompts.autocomplete({ message: 'Who serves the model?', options, maxItems: PROVIDERS_SHOWN }),
  );
  return findProvider(settings, id);
}

function rankOf({ id }: ProviderRow): number {
  const at = FIRST_SHOWN.indexOf(id);
  return at < 0 ? FIRST_SHOWN.length : at;
}

function hintOf({ id, local, authType }: ProviderRow): string | undefined {
  if (id === 'custom') return 'any address that speaks a known API';
  if (local) return 'on this machine';
  return authType === 'login' ? 'with a login' : authType === 'command' ? 'through its own program' : undefined;
}

/** Only where the person may know another one; what was saved for the provider is offered. */
export async function askForAddress(provider: KnownProvider, saved: string | undefined): Promise<string | undefined> {
  if (provider.baseUrl !== undefined && !provider.local && saved === undefined) return undefined;
  const offered = saved ?? provider.baseUrl;
  const typed = await prompts.text({
    message: 'At which address?',
    placeholder: offered ?? 'http://127.0.0.1:8000/v1',
    defaultValue: offered,
    validate(value) {
      const read = readTypedAddress(value || offered || '');
      return 'problem' in read ? `It must be ${read.problem}.` : undefined;
    },
  });
  return answered(typed);
}
