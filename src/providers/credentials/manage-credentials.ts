import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, ConfigurationError, isJsonObject, parseJson, systemClock } from '../../base/index.ts';
import type { EnvironmentVariables, Settings } from '../../config/index.ts';
import { type CodeHooks, type DevicePrompt, loginWithCode, loginWithDevice } from '../oauth/index.ts';
import { readTokens, type Tokens } from '../oauth/token-response.ts';
import { readStored } from './auth-file.ts';
import type { CredentialOwner } from './credential-owner.ts';
import { resetPool } from './pool-store.ts';
import { readPoolState } from './pool-state.ts';
import { toNewTokens } from './refresh-login.ts';
import { type AddedCredential, addStored, type NewCredential, removeStored } from './stored-changes.ts';
import type { StoredCredential } from './stored-credential.ts';

export type LoginHooks = CodeHooks & { showDevice(prompt: DevicePrompt): void };

type Addition = { label?: string; clock?: Clock };

/** Stores a key. */
export function addKey(settings: Settings, owner: CredentialOwner, secret: string, options: Addition = {}) {
  return add(settings, owner, { kind: 'api_key', source: 'manual', secret, label: options.label }, options);
}

/** Signs in at a provider and stores the tokens. */
export async function addLogin(
  settings: Settings,
  owner: CredentialOwner,
  hooks: LoginHooks,
  options: Addition & { signal?: AbortSignal } = {},
): Promise<AddedCredential> {
  const { login } = owner;
  if (login === undefined) throw noLogin(owner);
  const context = { clock: options.clock ?? systemClock, signal: options.signal };
  const tokens =
    login.flow === 'device'
      ? await loginWithDevice(login, context, hooks.showDevice)
      : await loginWithCode(login, context, hooks);
  const credential = {
    ...toNewTokens(login, tokens),
    kind: 'oauth' as const,
    source: 'manual:login',
    label: options.label,
  };
  return add(settings, owner, credential, options);
}

/** Copies the login of another program, whose file is never written. */
export function importLogin(settings: Settings, owner: CredentialOwner, options: Addition = {}) {
  const { login } = owner;
  if (login === undefined || owner.pool !== 'openai-codex') {
    throw new ConfigurationError(`A login for ${owner.name} cannot be imported from another program.`, {
      hint: 'Only openai-codex logins can be imported. A Claude Code login is used for anthropic automatically.',
    });
  }
  const tokens = toNewTokens(login, readCodexLogin(settings.variables));
  const credential = { ...tokens, kind: 'oauth' as const, source: 'manual:import', label: options.label };
  return add(settings, owner, credential, options);
}

/** Finds a stored credential by id or label; without either, there must be only one. */
export function findStored(settings: Settings, owner: CredentialOwner, reference?: string): StoredCredential {
  const stored = readStored(settings.home, owner.pool);
  const found = reference === undefined ? stored : stored.filter(({ id, label }) => [id, label].includes(reference));
  if (found.length === 1) return found[0] as StoredCredential;
  const names = stored.map(({ id, label }) => `${label} (${id})`).join(', ');
  if (stored.length === 0) {
    throw new ConfigurationError(`No credential is stored for ${owner.name}.`, { hint: removalHint(settings, owner) });
  }
  const message =
    reference === undefined
      ? `${owner.name} has several credentials; specify one by its label or id.`
      : `No credential "${reference}" was found for ${owner.name}.`;
  throw new ConfigurationError(message, { hint: `Available: ${names}.` });
}

/** A key in a variable is not stored by Hermes, so the user has to remove it. */
function removalHint({ variables }: Settings, { keyVariables }: CredentialOwner): string {
  const variable = keyVariables.find((name) => variables[name]);
  return variable === undefined
    ? '`hermes auth list` shows all credentials.'
    : `Its key is in ${variable}: run \`hermes config unset ${variable}\`, or remove it from your shell.`;
}

export async function removeCredential(settings: Settings, owner: CredentialOwner, id: string): Promise<boolean> {
  const removed = await removeStored(settings.home, owner.pool, id);
  await resetPool(settings.home, owner.pool, id);
  return removed;
}

/** Ends all cooldowns and enables disabled credentials; returns how many there were. */
export async function resetCredentials(settings: Settings, owners: readonly CredentialOwner[]): Promise<number> {
  let count = 0;
  for (const { pool } of owners) count += await resetPool(settings.home, pool);
  return count;
}

/** A new login replaces one that has ended, and an older one of the same account. */
async function add(
  settings: Settings,
  { pool }: CredentialOwner,
  credential: NewCredential,
  { clock = systemClock }: Addition,
): Promise<AddedCredential> {
  const { home } = settings;
  const state = await readPoolState(home, pool);
  const replaces = ({ id, kind, accountId }: StoredCredential) =>
    credential.kind === 'oauth' &&
    kind === 'oauth' &&
    (state[id]?.rest?.reason === 'login_ended' || (accountId !== undefined && accountId === credential.accountId));
  const added = await addStored(home, pool, { ...credential, createdAt: clock.now() }, replaces);
  if (added.replaced) await resetPool(home, pool, added.credential.id);
  return added;
}

function noLogin({ name, pool, keyVariables }: CredentialOwner): ConfigurationError {
  return new ConfigurationError(`Hermes cannot log in to ${name}.`, {
    hint:
      keyVariables.length > 0
        ? `Add an API key instead: \`hermes auth add ${pool} --key -\`.`
        : `Set auth.${pool} (client_id, device_url or authorize_url, token_url) in config.yaml.`,
  });
}

/** Reads the login of the Codex CLI. Its file is never written. */
function readCodexLogin(variables: EnvironmentVariables): Tokens {
  const folder = variables['CODEX_HOME'] || join(variables['HOME'] || variables['USERPROFILE'] || '', '.codex');
  const file = join(folder, 'auth.json');
  const document = parseJson(readIfThere(file));
  const section = isJsonObject(document) ? document['tokens'] : undefined;
  const tokens = isJsonObject(section) ? readTokens(section, Date.now()) : undefined;
  if (tokens !== undefined) return tokens;
  throw new ConfigurationError(`No login was found in ${file}.`, {
    hint: 'Sign in with `codex login` first, or create a separate login with `hermes auth add openai-codex --login`.',
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
