import * as prompts from '@clack/prompts';
import { HermesError } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { findKey, findKeyFault, type KnownProvider } from '../../../providers/index.ts';
import { addLogin, type CredentialOwner, findOwner } from '../../../providers/credentials/index.ts';
import type { TypedKey } from '../../../runtime/models/index.ts';
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
