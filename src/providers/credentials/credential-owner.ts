import { ConfigurationError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import { choosePrimary } from '../choose-provider.ts';
import { findProvider, type KnownProvider, lookUpProvider } from '../find-provider.ts';
import { findLogin, type Login } from '../oauth/login-table.ts';
import { PROVIDERS } from '../provider-table.ts';
import { storedProviders } from './auth-file.ts';
import { type CredentialPlan, planCredentials, poolName } from './plan-credentials.ts';

/** A provider with its credentials. */
export type CredentialOwner = {
  /** The name of its list in auth.json and in the `hermes auth` commands. */
  pool: string;
  name: string;
  keyVariables: readonly string[];
  login: Login | undefined;
  plan: CredentialPlan;
};

/** The provider named in a `hermes auth` command. */
export function findOwner(settings: Settings, name: string): CredentialOwner {
  const found = lookUpProvider(settings, name) ?? fromLogin(settings, name) ?? findProvider(settings, name);
  if (found.id !== 'custom') return describe(settings, found);
  throw new ConfigurationError('A credential cannot be stored for a custom endpoint without a name.', {
    hint: 'Name the endpoint under custom_providers in config.yaml and add a credential for that name, or set model.api_key.',
  });
}

/** All providers with a credential in auth.json or in an environment variable. */
export function allOwners(settings: Settings): CredentialOwner[] {
  const withVariable = PROVIDERS.filter(
    ({ id, keyVariables }) => id !== 'custom' && keyVariables.some((variable) => settings.variables[variable]),
  ).map(({ id }) => id);
  const chosen = isChosen(settings, 'anthropic') ? ['anthropic'] : [];
  const named = settings.customProviders
    .filter(({ keyVariable }) => keyVariable !== undefined && settings.variables[keyVariable])
    .map(({ name }) => name);
  const names = new Set([...withVariable, ...chosen, ...named, ...storedProviders(settings.home)]);
  return [...names].map((name) =>
    describe(settings, lookUpProvider(settings, name) ?? unknownProvider(settings, name)),
  );
}

function describe(settings: Settings, provider: KnownProvider): CredentialOwner {
  const { name, keyVariables } = provider;
  // Another program's login is read only if the user configured the provider it belongs to.
  const visible = isChosen(settings, provider.id) ? settings : { ...settings, variables: withoutHome(settings) };
  const own = provider.ownKeyVariable;
  // The general variable of custom endpoints is not used by one that names its own.
  const variables = own === undefined ? provider : { ...provider, keyVariables: [own] };
  const plan = planCredentials(visible, { variables, stored: provider }, []);
  return { pool: poolName(settings, provider), name, keyVariables, login: plan.login, plan };
}

function isChosen(settings: Settings, id: string): boolean {
  const names = [choosePrimary(settings, {})?.provider, ...settings.fallbacks.map(({ provider }) => provider)];
  return names.some((name) => name !== undefined && lookUpProvider(settings, name)?.id === id);
}

function withoutHome({ variables }: Settings): Settings['variables'] {
  return { ...variables, HOME: undefined, USERPROFILE: undefined, CLAUDE_CONFIG_DIR: undefined };
}

function fromLogin(settings: Settings, name: string): KnownProvider | undefined {
  return findLogin(settings, name) === undefined ? undefined : unknownProvider(settings, name);
}

/** The original supports other providers too; their stored credentials can be listed and removed. */
function unknownProvider(settings: Settings, id: string): KnownProvider {
  return { id, name: findLogin(settings, id)?.name ?? id, authType: 'login', keyVariables: [], hasCustomHost: false };
}
