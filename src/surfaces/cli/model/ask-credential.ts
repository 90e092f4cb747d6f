import * as prompts from '@clack/prompts';
import { HermesError } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { addLogin, type CredentialOwner, findOwner } from '../../../providers/credentials/index.ts';
import { type CatalogueModel, findKey, findKeyFault, type KnownProvider } from '../../../providers/index.ts';
import { type ChosenModel, describeFacts, listChoices, type TypedKey } from '../../../runtime/models/index.ts';
import { counted } from '../../text/counted.ts';
import { textWidth } from '../../text/text-width.ts';
import { createLoginHooks } from '../auth/login-hooks.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { answered } from './questions.ts';

/** Where the key of an endpoint of one's own is kept. */
const OWN_VARIABLE = 'CUSTOM_API_KEY';

/** A key that is typed, a login that is made now, or what is there already. */
export async function askForCredential(
  settings: Settings,
  provider: KnownProvider,
  { baseUrl, isRefused = false }: { baseUrl?: string; isRefused?: boolean },
  io: CliIo,
): Promise<TypedKey | undefined> {
  if (provider.authType === 'command' || (provider.keyVariables.length === 0 && provider.local)) return undefined;
  const owner = provider.id === 'custom' ? undefined : findOwner(settings, provider.id);
  const place = isRefused ? undefined : placeOfKey(settings, provider, baseUrl);
  const way = await askForWay(owner, provider, place);
  if (way === 'keep') return undefined;
  if (way === 'login' && owner !== undefined) {
    await logIn(settings, owner, io);
    return undefined;
  }
  return askForKey(provider, place);
}

function placeOfKey(settings: Settings, provider: KnownProvider, baseUrl: string | undefined): string | undefined {
  const address = baseUrl ?? provider.baseUrl;
  try {
    return address === undefined ? undefined : findKey(settings, provider, {}, address)?.place;
  } catch {
    // A key that cannot be one, with a line break in it: another one is asked for.
    return undefined;
  }
}

type Way = 'keep' | 'login' | 'key';

async function askForWay(owner: CredentialOwner | undefined, provider: KnownProvider, place: string | undefined) {
  const takesKey = provider.keyVariables.length > 0 && provider.authType !== 'login';
  const hasLogin = owner?.login !== undefined;
  if (!hasLogin) return 'key' as const;
  const options: { value: Way; label: string; hint?: string }[] = [
    ...(place === undefined
      ? []
      : [{ value: 'keep' as const, label: 'Go on with what is there', hint: showable(place) }]),
    { value: 'login', label: `Log in at ${provider.name}` },
    ...(takesKey ? [{ value: 'key' as const, label: 'Type a key' }] : []),
  ];
  if (options.length === 1) return 'login' as const;
  return answered(await prompts.select({ message: 'How do you want to be known there?', options }));
}

async function logIn(settings: Settings, owner: CredentialOwner, io: CliIo): Promise<void> {
  await addLogin(settings, owner, createLoginHooks(io));
  prompts.log.success(`Logged in at ${owner.name}.`);
}

async function askForKey(provider: KnownProvider, place: string | undefined): Promise<TypedKey | undefined> {
  const [variable] = provider.ownKeyVariable ? [provider.ownKeyVariable] : provider.keyVariables;
  if (variable === undefined) throw noKey(provider);
  const optional = provider.local || provider.ownHost || place !== undefined;
  const ending = place ? ` (leave empty to keep ${showable(place)})` : optional ? ' (empty if it needs none)' : '';
  const typed = await prompts.password({
    message: `Its key${ending || ', kept in .env where only you can read it'}`,
    validate: (value) => faultOf(value?.trim() ?? '', optional),
  });
  const secret = (answered(typed) ?? '').trim();
  if (secret === '') return undefined;
  // The general variable is OpenAI's as well, and a key that was typed for another host must never go there.
  return { variable: isShared(provider) ? OWN_VARIABLE : variable, secret };
}

/** Its key variable is the general one of all endpoints that the person chose. */
function isShared({ ownHost, ownKeyVariable, id }: KnownProvider): boolean {
  return ownHost && ownKeyVariable === undefined && id !== 'openai';
}

function faultOf(secret: string, optional: boolean): string | undefined {
  if (secret === '') return optional ? undefined : 'It does not work without a key.';
  const fault = findKeyFault(secret);
  return fault && `It has ${fault}: copy it again.`;
}

function noKey({ name }: KnownProvider): HermesError {
  return new HermesError(`It is not known how to log in at ${name}, and it takes no key.`, {
    hint: 'Choose another provider.',
  });
}

const MODELS_SHOWN = 12;
const MAX_NAME_LENGTH = 60;

/** A model of the list, or one whose name is typed; the one in use comes first. */
export async function askForModel(
  settings: Settings,
  draft: ChosenModel,
  current: string | undefined,
): Promise<string> {
  const models = await findModels(settings, draft);
  const usual = current ?? draft.provider.defaultModel;
  if (models.length === 0) return typeName(usual);
  const sorted = [...models.filter(({ id }) => id === usual), ...models.filter(({ id }) => id !== usual)];
  const width = Math.min(MAX_NAME_LENGTH, Math.max(...sorted.map(({ id }) => textWidth(showable(id)))));
  const offered = sorted.map((model) => ({ value: model.id, label: labelOf(model, current, width) }));
  return answered(
    await prompts.autocomplete({
      message: 'Which model?',
      placeholder: 'type to search, or a name',
      maxItems: MODELS_SHOWN,
      options() {
        return fitting(offered, this.userInput.trim());
      },
    }),
  );
}

type Offered = { value: string; label: string };

/** What has all the words that were typed; what was typed itself is offered where it is no name of the list. */
function fitting(offered: readonly Offered[], typed: string): Offered[] {
  if (typed === '') return [...offered];
  const words = typed.toLowerCase().split(/\s+/);
  const found = offered.filter(({ value }) => words.every((word) => value.toLowerCase().includes(word)));
  const isName = words.length === 1 && !found.some(({ value }) => value === typed);
  return isName ? [...found, { value: typed, label: `use "${showable(typed)}" all the same` }] : found;
}

function labelOf({ id, facts }: CatalogueModel, current: string | undefined, width: number): string {
  const name = showable(id);
  const about = [describeFacts(facts), id === current ? 'in use' : undefined].filter(Boolean).join(', ');
  return about === '' ? name : `${name}${' '.repeat(Math.max(0, width - textWidth(name)))}  ${about}`;
}

async function findModels(settings: Settings, draft: ChosenModel): Promise<CatalogueModel[]> {
  prompts.log.step('Asking which models there are …');
  const models = await listChoices(settings, draft);
  prompts.log.info(describeList(models));
  return models;
}

function describeList(models: readonly CatalogueModel[]): string {
  if (models.some(({ listed }) => listed)) return counted(models.length, 'model');
  return models.length > 0
    ? 'The endpoint does not say which models it has; these are known of it.'
    : 'The endpoint lists no model that could be used: load or enable one there, and type its name here.';
}

async function typeName(usual: string | undefined): Promise<string> {
  const typed = await prompts.text({
    message: 'The name of the model',
    placeholder: usual,
    defaultValue: usual,
    validate: (value) =>
      /\s/.test(value?.trim() ?? '') ? 'It is one word.' : value?.trim() || usual ? undefined : 'It needs a name.',
  });
  return answered(typed).trim();
}
