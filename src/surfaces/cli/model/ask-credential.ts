import * as prompts from '@clack/prompts';
import { HermesError } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { addLogin, type CredentialOwner, findOwner } from '../../../providers/credentials/index.ts';
import { type CatalogueModel, findKey, findKeyProblem, type KnownProvider } from '../../../providers/index.ts';
import {
  type SelectedModel,
  describeFacts,
  explainMissingList,
  listChoices,
  type TypedKey,
} from '../../../runtime/models/index.ts';
import { counted } from '../../text/counted.ts';
import { textWidth } from '../../../util/text-width.ts';
import { createLoginHooks } from '../auth/login-hooks.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { answered } from './questions.ts';

/** The variable for the API key of a custom endpoint. */
const CUSTOM_KEY_VARIABLE = 'CUSTOM_API_KEY';

/** Asks for an API key, logs in, or keeps the existing credential. */
export async function askForCredential(
  settings: Settings,
  provider: KnownProvider,
  { baseUrl, isRefused = false }: { baseUrl?: string; isRefused?: boolean },
  io: CliIo,
): Promise<TypedKey | undefined> {
  if (provider.authType === 'command' || provider.authType === 'cloud') return undefined;
  if (provider.keyVariables.length === 0 && provider.local) return undefined;
  const owner = provider.id === 'custom' ? undefined : findOwner(settings, provider.id);
  const location = isRefused ? undefined : keyLocation(settings, provider, baseUrl);
  const way = await askForSignInMethod(owner, provider, location);
  if (way === 'keep') return undefined;
  if (way === 'login' && owner !== undefined) {
    await logIn(settings, owner, io);
    return undefined;
  }
  return askForKey(provider, location);
}

function keyLocation(settings: Settings, provider: KnownProvider, baseUrl: string | undefined): string | undefined {
  const address = baseUrl ?? provider.baseUrl;
  try {
    return address === undefined ? undefined : findKey(settings, provider, { sharedKey: true }, address)?.place;
  } catch {
    // An invalid key, for example with a line break, is ignored and a new one is asked for.
    return undefined;
  }
}

type SignInMethod = 'keep' | 'login' | 'key';

async function askForSignInMethod(
  owner: CredentialOwner | undefined,
  provider: KnownProvider,
  location: string | undefined,
) {
  const takesKey = provider.keyVariables.length > 0 && provider.authType !== 'login';
  const hasLogin = owner?.login !== undefined;
  if (!hasLogin) return 'key' as const;
  const options: { value: SignInMethod; label: string; hint?: string }[] = [
    ...(location === undefined
      ? []
      : [{ value: 'keep' as const, label: 'Use the existing credential', hint: printable(location) }]),
    { value: 'login', label: `Log in to ${provider.name}` },
    ...(takesKey ? [{ value: 'key' as const, label: 'Enter an API key' }] : []),
  ];
  if (options.length === 1) return 'login' as const;
  return answered(await prompts.select({ message: 'How do you want to sign in?', options }));
}

async function logIn(settings: Settings, owner: CredentialOwner, io: CliIo): Promise<void> {
  await addLogin(settings, owner, createLoginHooks(io));
  prompts.log.success(`Logged in to ${owner.name}.`);
}

async function askForKey(provider: KnownProvider, location: string | undefined): Promise<TypedKey | undefined> {
  const [variable] = provider.ownKeyVariable ? [provider.ownKeyVariable] : provider.keyVariables;
  if (variable === undefined) throw noKey(provider);
  const optional = provider.local || provider.hasCustomHost || location !== undefined;
  const ending = location
    ? ` (leave empty to keep ${printable(location)})`
    : optional
      ? ' (leave empty if none is needed)'
      : '';
  const typed = await prompts.password({
    message: `API key${ending || ' (stored in .env, readable only by you)'}`,
    validate: (value) => faultOf(value?.trim() ?? '', optional),
  });
  const secret = (answered(typed) ?? '').trim();
  if (secret === '') return undefined;
  // OpenAI uses the general variable too. A key for another host is stored in a separate variable, because it must
  // never be sent to OpenAI.
  return { variable: isShared(provider) ? CUSTOM_KEY_VARIABLE : variable, secret };
}

/** Whether the key variable is the general one, which all custom endpoints share. */
function isShared({ hasCustomHost, ownKeyVariable, id }: KnownProvider): boolean {
  return hasCustomHost && ownKeyVariable === undefined && id !== 'openai';
}

function faultOf(secret: string, optional: boolean): string | undefined {
  if (secret === '') return optional ? undefined : 'An API key is required.';
  const fault = findKeyProblem(secret);
  return fault && `The key has ${fault}; copy it again.`;
}

function noKey({ name }: KnownProvider): HermesError {
  return new HermesError(`${name} accepts no API key, and Hermes does not know how to log in to it.`, {
    hint: 'Choose another provider.',
  });
}

const MODELS_SHOWN = 12;
const MAX_NAME_LENGTH = 60;

/** Lets the user select a listed model or type a name; the current model comes first. */
export async function askForModel(
  settings: Settings,
  draft: SelectedModel,
  current: string | undefined,
): Promise<string> {
  const models = await findModels(settings, draft);
  const usual = current ?? draft.provider.defaultModel;
  if (models.length === 0) return typeName(usual);
  const sorted = [...models.filter(({ id }) => id === usual), ...models.filter(({ id }) => id !== usual)];
  const width = Math.min(MAX_NAME_LENGTH, Math.max(...sorted.map(({ id }) => textWidth(printable(id)))));
  const offered = sorted.map((model) => ({ value: model.id, label: labelOf(model, current, width) }));
  return answered(
    await prompts.autocomplete({
      message: 'Which model?',
      placeholder: 'type to search, or enter a name',
      maxItems: MODELS_SHOWN,
      options() {
        return matchingModels(offered, this.userInput.trim());
      },
    }),
  );
}

type ModelOption = { value: string; label: string };

/** The models that contain all typed words. The typed text itself is offered too if it is not in the list. */
function matchingModels(offered: readonly ModelOption[], typed: string): ModelOption[] {
  if (typed === '') return [...offered];
  const words = typed.toLowerCase().split(/\s+/);
  const found = offered.filter(({ value }) => words.every((word) => value.toLowerCase().includes(word)));
  const isName = words.length === 1 && !found.some(({ value }) => value === typed);
  return isName ? [...found, { value: typed, label: `use "${printable(typed)}" anyway` }] : found;
}

function labelOf({ id, facts }: CatalogueModel, current: string | undefined, width: number): string {
  const name = printable(id);
  const about = [describeFacts(facts), id === current ? 'current' : undefined].filter(Boolean).join(', ');
  return about === '' ? name : `${name}${' '.repeat(Math.max(0, width - textWidth(name)))}  ${about}`;
}

async function findModels(settings: Settings, draft: SelectedModel): Promise<CatalogueModel[]> {
  prompts.log.step('Fetching the list of models …');
  const models = await listChoices(settings, draft);
  const reason = models.some(({ listed }) => listed) ? undefined : await explainMissingList(settings, draft);
  if (reason === undefined) prompts.log.info(describeList(models));
  else prompts.log.warn(printable(`${reason}${models.length > 0 ? ' These are the known models.' : ''}`));
  return models;
}

function describeList(models: readonly CatalogueModel[]): string {
  if (models.some(({ listed }) => listed)) return counted(models.length, 'model');
  return models.length > 0
    ? 'The endpoint does not list its models; these are the known ones.'
    : 'The endpoint lists no usable model: load or enable one there, and enter its name here.';
}

async function typeName(usual: string | undefined): Promise<string> {
  const typed = await prompts.text({
    message: 'Model name',
    placeholder: usual,
    defaultValue: usual,
    validate: (value) =>
      /\s/.test(value?.trim() ?? '')
        ? 'It must not contain spaces.'
        : value?.trim() || usual
          ? undefined
          : 'Enter a name.',
  });
  return answered(typed).trim();
}
