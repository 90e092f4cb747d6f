import * as prompts from '@clack/prompts';
import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, loadSettings, type Settings } from '../../../config/index.ts';
import { findKey, findProvider, hostOf, listCatalogue, PROVIDERS, type ProviderRow } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { describeModel } from '../describe-model.ts';
import { readTypedAddress } from './read-address.ts';
import { type SetupChoice, saveChoice } from './save-choice.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Thrown by a question that was left with Ctrl-C or Esc. */
class Cancelled extends Error {}

const LIST_TIMEOUT_MS = 5_000;
/** Longer lists are typed into, not scrolled through. */
const CHOICES_SHOWN = 30;
const PROVIDERS_SHOWN = 12;
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
  const settings = await loadSettings({ home, env: io.env });
  const provider = await askForProvider();
  const baseUrl = await askForAddress(provider);
  const key = await askForKey(provider, settings.variables);
  // A key that is there already is only shown to the host that it belongs to.
  const secret = key?.secret ?? findKey(settings, findProvider(settings, provider.id), {}, baseUrl)?.secret;
  const model = await askForModel({ provider, baseUrl, secret, settings });
  return { provider, baseUrl, model, key };
}

async function askForProvider(): Promise<ProviderRow> {
  const options = PROVIDERS.map((row) => ({ value: row.id, label: row.name, hint: hintOf(row) }));
  const id = answered(
    await prompts.autocomplete({
      message: 'Who serves the model?',
      options,
      maxItems: PROVIDERS_SHOWN,
    }),
  );
  return PROVIDERS.find((row) => row.id === id) as ProviderRow;
}

function hintOf({ local, authType }: ProviderRow): string | undefined {
  if (local) return 'on this machine';
  return authType === 'login' ? 'with a login' : authType === 'command' ? 'through its own program' : undefined;
}

async function askForAddress(provider: ProviderRow): Promise<string> {
  if (provider.baseUrl !== undefined && !provider.local) return provider.baseUrl;
  const typed = await prompts.text({
    message: 'At which address?',
    placeholder: provider.baseUrl ?? 'http://127.0.0.1:8000/v1',
    defaultValue: provider.baseUrl,
    validate(value) {
      const read = readTypedAddress(value || provider.baseUrl || '');
      return 'problem' in read ? `It must be ${read.problem}.` : undefined;
    },
  });
  const read = readTypedAddress(answered(typed));
  if ('problem' in read) throw new ConfigurationError(`The address must be ${read.problem}.`, { hint: read.hint });
  if (read.warning !== undefined) prompts.log.warn(read.warning);
  return read.baseUrl;
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

type ModelQuestion = {
  provider: ProviderRow;
  baseUrl: string;
  secret: string | undefined;
  settings: Settings;
};

async function askForModel({ provider, baseUrl, secret, settings }: ModelQuestion): Promise<string> {
  const { home, modelOverrides: overrides, variables } = settings;
  const credential = secret === undefined ? undefined : { secret, hosts: [hostOf(baseUrl) ?? ''] };
  const spinner = prompts.spinner();
  spinner.start('Asking which models there are');
  const { apiMode, quirks, headers, modelListing } = provider;
  const way = { apiMode, quirks, headers, ...modelListing, variables };
  const endpoint = { ...way, baseUrl, credential, timeoutMs: LIST_TIMEOUT_MS };
  const models = await listCatalogue({ provider: provider.id, home, overrides, endpoint });
  spinner.stop(describeList(models));
  if (models.length > 0 && models.length <= CHOICES_SHOWN) {
    const offered = models.map(({ id, facts }) => ({ value: id, label: id, hint: describeModel(facts) }));
    const options = [...offered, { value: TYPE_IT, label: 'another one' }];
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

function describeList(models: readonly { listed: boolean }[]): string {
  if (models.some(({ listed }) => listed)) return `${models.length} models`;
  return models.length > 0
    ? 'The endpoint does not say which models it has; these are known of it.'
    : 'The endpoint lists no model that could be used: load or enable one there, and type its name here.';
}

function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (prompts.isCancel(value)) throw new Cancelled();
  return value as Exclude<Value, symbol>;
}
