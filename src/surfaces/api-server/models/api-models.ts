import { basename, dirname } from 'node:path';
import { ConfigurationError, errorMessage } from '../../../base/index.ts';
import type { ApiServerSettings } from '../../../config/gateway/index.ts';
import type { EnvironmentVariables } from '../../../config/index.ts';
import type { AuxiliaryRoutes } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import { type AgentBlueprint, loadModels, type Runtime } from '../../../runtime/index.ts';
import { shorten } from '../../../util/index.ts';
import type { StoredKey } from '../keys/key-file.ts';

/** A model that a request has chosen. */
export type ModelChoice = {
  /** The id as the client knows it. */
  id: string;
  /** Answers without tools, memory and other sessions, such as for titles and tags. */
  isPlain: boolean;
  /** Differs from the configured model; undefined otherwise. */
  chosen?: Pick<AgentBlueprint, 'settings' | 'routes'> & { auxiliaryRoutes: AuxiliaryRoutes };
};

export interface ApiModels {
  /** The ids that a key may use, the configured model first. */
  list(key: StoredKey): string[];
  readonly configured: ModelChoice;
  /** The model of a request. Throws `HttpError` if it is unknown or not allowed. */
  choose(key: StoredKey, id: string | undefined): Promise<ModelChoice>;
}

/** The id of the original, which is always accepted. */
const USUAL_ID = 'hermes-agent';
export const PLAIN_ID = 'hermes-plain';

export function createApiModels(
  { blueprint }: Runtime,
  { modelName }: Pick<ApiServerSettings, 'modelName'>,
  env: EnvironmentVariables,
): ApiModels {
  const { home } = blueprint.settings;
  const configuredId = modelName ?? profileOf(home) ?? USUAL_ID;

  async function load(id: string): Promise<ModelChoice> {
    const [provider = '', ...rest] = id.split('/');
    const { settings, models } = await loadModels({ home, env, flags: { provider, model: rest.join('/') } }).catch(
      (thrown: unknown) => {
        if (thrown instanceof ConfigurationError) throw notFound(id, errorMessage(thrown));
        throw thrown;
      },
    );
    if (models === undefined) throw notFound(id, 'No model is configured.');
    const { routes, auxiliaryRoutes } = models;
    const own = { ...settings, terminal: blueprint.settings.terminal };
    return { id, isPlain: false, chosen: { settings: own, routes, auxiliaryRoutes } };
  }

  return {
    configured: { id: configuredId, isPlain: false },
    list: ({ models = [] }) => [
      ...new Set([configuredId, PLAIN_ID, ...models.filter((pattern) => !pattern.includes('*'))]),
    ],
    async choose(key, id) {
      if (id === undefined) return this.configured;
      if (id === configuredId || id === USUAL_ID) return { id, isPlain: false };
      if (id === PLAIN_ID) return { id, isPlain: true };
      if (!/^[^/]+\/./.test(id)) throw notFound(id, `The models are ${this.list(key).join(', ')}.`);
      if (!mayUse(key, id)) throw new HttpError(403, 'model_not_allowed', `This key may not use the model ${id}.`);
      return load(id);
    },
  };
}

function notFound(id: string, detail: string): HttpError {
  return new HttpError(404, 'model_not_found', `The model ${shorten(id, 100)} does not exist. ${detail}`);
}

function mayUse({ models = [] }: StoredKey, id: string): boolean {
  return models.some(
    (pattern) => pattern === '*' || pattern === id || (pattern.endsWith('/*') && id.startsWith(pattern.slice(0, -1))),
  );
}

/** The profile of a home directory; undefined for the usual one. */
function profileOf(home: string): string | undefined {
  return basename(dirname(home)) === 'profiles' ? basename(home) : undefined;
}
