/**
 * The documentation of a key, without a final full stop, and the environment variable that is used if the key is not
 * set.
 */
type KeyMeaning = { about: string; variable?: string };

export type Meanings = Readonly<Record<string, string | KeyMeaning>>;

const CACHING_MODE = '`auto`, `on` or `off`, instead of the general `prompt_caching.mode`';

export const MODELS: Meanings = {
  model: 'The model that answers in a chat. A plain name is short for `model.default`',
  ...endpoint('model.'),
  'model.provider': {
    about: 'The provider: the id of a known provider, or the name of an entry of `custom_providers`',
    variable: 'HERMES_INFERENCE_PROVIDER',
  },
  'model.default': { about: 'The name of the model', variable: 'HERMES_INFERENCE_MODEL' },
  'model.model': 'Deprecated name of `model.default`',
  'model.base_url': {
    about: 'The base URL of the endpoint, if it is not the usual one of the provider',
    variable: 'OPENAI_BASE_URL',
  },
  fallback_model:
    'A single fallback model: the short form of `fallback_providers`. If both are set, this one is tried first',
  ...choice('fallback_model.'),
  fallback_providers: 'Fallback models, tried in this order when the model before fails',
  ...choice('fallback_providers[].'),
  custom_providers: 'Your own endpoints, selected by name',
  'custom_providers[].name': 'The name, as used with `--provider` and `model.provider`',
  'custom_providers[].model': 'The default model of this endpoint',
  'custom_providers[].key_env': 'The environment variable that contains the API key',
  ...endpoint('custom_providers[].'),
  'custom_providers[].prompt_caching.mode': CACHING_MODE,
  ...facts('custom_providers[].models.NAME.'),
  providers: 'Settings of a provider, by its id or the name of an entry of `custom_providers`',
  ...request('providers.NAME.', 'every request to the host of the provider'),
  'providers.NAME.prompt_caching.mode': CACHING_MODE,
  'providers.NAME.base_url':
    'The base URL of an endpoint of your own, selected with `--provider NAME`, as in `custom_providers`',
  'providers.NAME.url': 'Older name of `providers.NAME.base_url`',
  'providers.NAME.api': 'Older name of `providers.NAME.base_url`',
  'providers.NAME.api_key': 'The API key of the endpoint. Keep it in `.env` and write `${VARIABLE}` here',
  'providers.NAME.key_env': 'The variable that contains the API key',
  'providers.NAME.api_mode': 'The API mode (wire format) of the endpoint. Default: derived from the URL',
  'providers.NAME.transport': 'Older name of `providers.NAME.api_mode`',
  'providers.NAME.context_length': 'The context window in tokens, if the known value is wrong',
  'providers.NAME.model': 'The model of the endpoint, if none is named elsewhere',
  'providers.NAME.default_model': 'Older name of `providers.NAME.model`',
  'providers.NAME.name': 'A name for display in other programs; Hermes uses the name of the entry',
  ...facts('providers.NAME.models.NAME.'),
  'providers.NAME.region': 'The region of Amazon Bedrock, or the location of Google Vertex AI',
  'providers.NAME.profile': { about: 'The AWS profile, for Amazon Bedrock', variable: 'AWS_PROFILE' },
  'providers.NAME.project': { about: 'The Google Cloud project, for Vertex AI', variable: 'GOOGLE_CLOUD_PROJECT' },
  'providers.NAME.resource': { about: 'The name of the Azure OpenAI resource', variable: 'AZURE_RESOURCE_NAME' },
  model_overrides: 'Model facts that override the catalogue, by `MODEL` or `PROVIDER/MODEL`',
  ...facts('model_overrides.NAME.'),
  models_dev: 'The public model catalogue',
  'models_dev.url': 'Another URL to download the catalogue from',
  model_catalog: 'Older form of `network.background_refresh`',
  'model_catalog.enabled':
    'Whether the catalogue is downloaded in the background. `false` here or in `network.background_refresh` disables it',
  network: 'Network access in the background',
  'network.background_refresh': 'Whether Hermes may download data in the background, such as the model catalogue',
  credential_pool_strategies: 'How a credential is selected if a provider has several, by provider',
  'credential_pool_strategies.NAME':
    '`fill_first`: the first available one. `round_robin`: in turn. `least_used`: the one with the fewest uses. `random`: a random one. Default: `fill_first`',
  auth: 'OAuth settings that override those of a provider, by provider',
  'auth.NAME.client_id': 'The OAuth client id',
  'auth.NAME.scope': 'The requested OAuth scopes',
  'auth.NAME.device_url': 'The device authorization endpoint',
  'auth.NAME.authorize_url': 'The authorization endpoint that is opened in the browser',
  'auth.NAME.token_url': 'The token endpoint, for new and refreshed tokens',
  'auth.NAME.redirect_uri': 'The redirect URI. If it is not on this machine, you paste the code into the terminal',
  'auth.NAME.exchange_url': 'The endpoint that exchanges a login for an API key',
};

export const AUXILIARY: Meanings = {
  auxiliary: 'Models for auxiliary tasks, such as titles and summaries',
  ...choice('auxiliary.TASK.'),
  'auxiliary.TASK.provider':
    'The provider. `auto`: a cheap model of the chat’s provider. `main`: the model of the chat itself',
  'auxiliary.TASK.timeout': 'Timeout in seconds, after which the next model is tried',
  ...choice('auxiliary.TASK.fallback[].'),
  'auxiliary.TASK.enabled':
    'Whether the task is done at all. For optional tasks such as `title_generation` and `injection_scan`',
};

function choice(path: string): Meanings {
  return { [`${path}provider`]: 'The provider', [`${path}model`]: 'The name of the model', ...endpoint(path) };
}

function endpoint(path: string): Meanings {
  return {
    [`${path}base_url`]: 'The base URL of the endpoint',
    [`${path}api_key`]: 'The API key. Keep it in `.env` and write `${VARIABLE}` here',
    [`${path}api_mode`]: 'The API mode (wire format) of the endpoint. Default: derived from the provider or the URL',
    [`${path}context_length`]: 'The context window in tokens, if the known value is wrong',
    ...request(path, 'every request to this endpoint'),
  };
}

function request(path: string, where: string): Meanings {
  return {
    [`${path}headers.NAME`]: `A header of ${where}. Keep secrets in \`.env\` and write \`\${VARIABLE}\` here`,
    [`${path}query.NAME`]: `A query parameter of ${where}`,
    [`${path}extra_body`]: `Fields that are merged into the body of ${where}. They cannot replace the messages, the model, the tools or the streaming`,
  };
}

function facts(path: string): Meanings {
  return {
    [`${path}context_length`]: 'The context window in tokens',
    [`${path}output_limit`]: 'The maximum number of output tokens',
    [`${path}vision`]: 'Whether the model accepts images',
    [`${path}documents`]: 'Whether the model accepts PDF files',
    [`${path}tools`]: 'Whether the model supports tool calls',
    [`${path}reasoning`]: 'Whether the model reasons before it answers',
    [`${path}price.input`]: 'US dollars per million input tokens',
    [`${path}price.output`]: 'US dollars per million output tokens',
    [`${path}price.cache_read`]: 'US dollars per million tokens read from the cache',
    [`${path}price.cache_write`]: 'US dollars per million tokens written to the cache',
  };
}
