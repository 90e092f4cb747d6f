import * as prompts from '@clack/prompts';
import { homePaths, loadSettings } from '../../../config/index.ts';
import { hostOf, listModels, PROVIDERS, type ProviderRow } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { type SetupChoice, saveChoice } from './save-choice.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Thrown by a question that was left with Ctrl-C or Esc. */
class Cancelled extends Error {}

const LIST_TIMEOUT_MS = 5_000;
/** Longer lists are typed into, not scrolled through. */
const CHOICES_SHOWN = 30;
const TYPE_IT = ' ';

/** Asks for provider, key and model, and saves them. False where the person left. */
export async function askForSetup(io: CliIo, home: string): Promise<boolean> {
  prompts.intro('Connect a model');
  try {
    const choice = await askForChoice(io, home);
    await saveChoice(home, choice);
    prompts.outro(`Saved ${choice.provider.name} with ${choice.model} in ${homePaths(home).configFile}.`);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    prompts.cancel('Nothing was changed.');
    return false;
  }
}

async function askForChoice(io: CliIo, home: string): Promise<SetupChoice> {
  const { variables } = await loadSettings({ home, env: io.env });
  const provider = await askForProvider();
  const baseUrl = await askForAddress(provider);
  const key = await askForKey(provider, variables);
  const secret = key?.secret ?? provider.keyVariables.map((name) => variables[name]).find(Boolean);
  const model = await askForModel(provider, baseUrl, secret, variables);
  return { provider, baseUrl, model, key };
}

async function askForProvider(): Promise<ProviderRow> {
  const options = PROVIDERS.map((row) => ({
    value: row.id,
    label: row.name,
    hint: row.local ? 'on this machine' : undefined,
  }));
  const id = answered(await prompts.select({ message: 'Who serves the model?', options }));
  return PROVIDERS.find((row) => row.id === id) as ProviderRow;
}

async function askForAddress(provider: ProviderRow): Promise<string> {
  if (provider.baseUrl !== undefined && !provider.local) return provider.baseUrl;
  const typed = await prompts.text({
    message: 'At which address?',
    placeholder: provider.baseUrl ?? 'http://127.0.0.1:8000/v1',
    defaultValue: provider.baseUrl,
    validate: (value) =>
      (value || provider.baseUrl) && hostOf(value || provider.baseUrl || '') ? undefined : 'That is not a URL.',
  });
  return answered(typed);
}

async function askForKey(provider: ProviderRow, variables: Variables): Promise<SetupChoice['key']> {
  const variable = provider.keyVariables[0];
  if (variable === undefined) return undefined;
  const present = provider.keyVariables.find((name) => variables[name]);
  const optional = provider.local || provider.id === 'custom' || present !== undefined;
  const typed = await prompts.password({
    message: present
      ? `Its key (leave empty to keep ${present})`
      : `Its key${optional ? ' (empty if it needs none)' : ''}`,
    validate: (value) => (optional || value?.trim() ? undefined : 'It does not work without a key.'),
  });
  const secret = (answered(typed) ?? '').trim();
  return secret === '' ? undefined : { variable, secret };
}

async function askForModel(
  provider: ProviderRow,
  baseUrl: string,
  secret: string | undefined,
  variables: Variables,
): Promise<string> {
  const credential = secret === undefined ? undefined : { secret, hosts: [hostOf(baseUrl) ?? ''] };
  const spinner = prompts.spinner();
  spinner.start('Asking which models there are');
  const { apiMode, quirks } = provider;
  const models = await listModels({ baseUrl, apiMode, quirks, credential, variables, timeoutMs: LIST_TIMEOUT_MS });
  spinner.stop(describeList(models));
  if (models && models.length > 0 && models.length <= CHOICES_SHOWN) {
    const options = [...models.map((name) => ({ value: name, label: name })), { value: TYPE_IT, label: 'another one' }];
    const chosen = answered(await prompts.select({ message: 'Which model?', options }));
    if (chosen !== TYPE_IT) return chosen;
  }
  const typed = await prompts.text({
    message: 'The name of the model',
    placeholder: provider.defaultModel,
    defaultValue: provider.defaultModel,
    validate: (value) => (value?.trim() || provider.defaultModel ? undefined : 'It needs a name.'),
  });
  return answered(typed).trim();
}

function describeList(models: readonly string[] | undefined): string {
  if (models === undefined) return 'The endpoint does not say which models it has.';
  if (models.length === 0) return 'The endpoint lists no model yet: load or enable one there, and type its name here.';
  return `${models.length} models`;
}

function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (prompts.isCancel(value)) throw new Cancelled();
  return value as Exclude<Value, symbol>;
}
