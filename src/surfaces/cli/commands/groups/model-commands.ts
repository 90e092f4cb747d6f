import { API_MODES } from '../../../../contracts/index.ts';
import type { AddOptions } from '../../auth/add.ts';
import type { SetupOptions } from '../../chat-options.ts';
import type { SetOptions } from '../../model/model.ts';
import {
  type CommandCall,
  type CommandRow,
  type Confirmed,
  type Json,
  JSON_OPTION,
  type ValueRow,
  YES_OPTION,
} from '../command-row.ts';

const GROUP = 'Models and credentials:';

const PROVIDER: ValueRow = { form: '<provider>', about: 'name of a provider or of a custom endpoint' };

const ENDPOINT_OPTIONS: readonly ValueRow[] = [
  { form: '--base-url <url>', about: 'base URL of the endpoint' },
  { form: '--api-key-env <variable>', about: 'environment variable with the API key' },
  {
    form: '--api-mode <mode>',
    about: 'wire format of the endpoint',
    choices: API_MODES,
  },
  { form: '--force', about: 'allow an unknown model' },
  { form: '--offline', about: 'do not ask the endpoint whether the model exists' },
];

/** The commands for models and credentials. */
export const MODEL_COMMANDS: readonly CommandRow[] = [
  {
    name: 'setup',
    group: GROUP,
    about: 'connect a model: asks for provider, key and model, sends a test call and offers to start a chat',
    summary: 'connect a model, step by step',
    options: [
      { form: '--provider <name>', about: 'provider to use; skips the questions, like `hermes model set`' },
      { form: '--model <name>', about: 'model to use' },
      { form: '--base-url <url>', about: 'base URL of the endpoint' },
      { form: '--api-key-env <variable>', about: 'environment variable with the API key' },
      { form: '--force', about: 'allow an unknown model' },
      { form: '--offline', about: 'do not ask the endpoint whether the model exists' },
    ],
    examples: [
      'hermes setup',
      'hermes setup --provider ollama --model qwen3',
      'hermes setup --provider custom --base-url http://127.0.0.1:8000/v1 --model my-model',
    ],
    run: async ({ options, io, signal, run }: CommandCall<SetupOptions>) =>
      (await import('../../setup/setup.ts')).setup(options, io, signal, run),
  },
  {
    name: 'model',
    group: GROUP,
    about: 'choose a provider and a model in the terminal and save them',
    summary: 'choose a provider and a model',
    examples: ['hermes model', 'hermes model set openrouter', 'hermes model show'],
    commands: [
      {
        name: 'set',
        about: 'save a provider and a model without asking',
        arguments: [PROVIDER, { form: '[model]', about: 'model to use (default: the usual one of the provider)' }],
        options: [...ENDPOINT_OPTIONS],
        examples: [
          'hermes model set openrouter anthropic/claude-sonnet-5',
          'hermes model set custom my-model --base-url http://127.0.0.1:8000/v1',
        ],
        run: async ({ values: [provider, name], options, io }: CommandCall<SetOptions, [string, string | undefined]>) =>
          (await import('../../model/model.ts')).setModel({ ...options, provider, model: name }, io),
      },
      {
        name: 'show',
        onlyReads: true,
        about: 'show the current model and what is known about it',
        options: [JSON_OPTION],
        examples: ['hermes model show'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../model/model.ts')).showModel(options, io),
      },
    ],
    run: async ({ io, signal }: CommandCall) => (await import('../../model/model.ts')).pickModel(io, signal),
  },
  {
    name: 'auth',
    group: GROUP,
    about: 'manage API keys and logins',
    examples: ['hermes auth add openrouter', 'hermes auth list'],
    commands: [
      {
        name: 'add',
        about: 'add an API key, or log in; the key is prompted for or read from standard input',
        arguments: [PROVIDER],
        options: [
          {
            form: '--key <key>',
            about: 'API key; - reads it from standard input. A key on the command line stays in the shell history',
          },
          { form: '--login', about: 'log in at the provider' },
          { form: '--import', about: 'import the login of the Codex CLI' },
          { form: '--label <label>', about: 'a name for the credential' },
        ],
        examples: [
          'hermes auth add openrouter',
          'hermes auth add anthropic --key - < key.txt',
          'hermes auth add copilot --login',
        ],
        run: async ({ values: [provider], options, io }: CommandCall<AddOptions, [string]>) =>
          (await import('../../auth/add.ts')).addCredential(provider, options, io),
      },
      {
        name: 'list',
        onlyReads: true,
        about: 'list all credentials with their state',
        options: [JSON_OPTION],
        examples: ['hermes auth list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../auth/credentials.ts')).listAuth(options, io),
      },
      {
        name: 'status',
        onlyReads: true,
        about: 'show the credential that the next request to each provider will use, and any problems',
        options: [JSON_OPTION],
        examples: ['hermes auth status'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../auth/credentials.ts')).showAuthStatus(options, io),
      },
      {
        name: 'remove',
        about: 'remove an API key or a login',
        arguments: [PROVIDER, { form: '[credential]', about: 'its id or label, if there are several' }],
        options: [YES_OPTION],
        examples: ['hermes auth remove openrouter', 'hermes auth remove openrouter work --yes'],
        run: async ({
          values: [provider, credential],
          options,
          io,
        }: CommandCall<Confirmed, [string, string | undefined]>) =>
          (await import('../../auth/credentials.ts')).removeAuth(provider, credential, options, io),
      },
      {
        name: 'reset',
        about: 'enable credentials that are disabled or in cooldown',
        arguments: [{ form: '[provider]', about: 'only this provider' }],
        examples: ['hermes auth reset openrouter'],
        run: async ({ values: [provider], io }: CommandCall<object, [string | undefined]>) =>
          (await import('../../auth/credentials.ts')).resetAuth(provider, io),
      },
    ],
  },
  {
    name: 'fallback',
    group: GROUP,
    about: 'manage the models to use if the first one fails',
    examples: ['hermes fallback add ollama qwen3', 'hermes fallback list'],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        about: 'list the fallbacks in order and show whether each is usable',
        options: [JSON_OPTION],
        examples: ['hermes fallback list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../fallback/fallback.ts')).listFallbacks(options, io),
      },
      {
        name: 'add',
        about: 'add a fallback at the end',
        arguments: [PROVIDER, { form: '<model>', about: 'model to use' }],
        options: [...ENDPOINT_OPTIONS, JSON_OPTION],
        examples: [
          'hermes fallback add openrouter anthropic/claude-sonnet-5',
          'hermes fallback add ollama qwen3 --offline',
        ],
        run: async ({ values: [provider, model], options, io }: CommandCall<SetOptions & Json, [string, string]>) =>
          (await import('../../fallback/fallback.ts')).addFallback({ ...options, provider, model }, io),
      },
      {
        name: 'remove',
        about: 'remove a fallback',
        arguments: [{ form: '<fallback>', about: 'its number in the list, or PROVIDER/MODEL' }],
        options: [JSON_OPTION],
        examples: ['hermes fallback remove 1'],
        run: async ({ values: [which], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../fallback/fallback.ts')).removeFallback(which, options, io),
      },
      {
        name: 'clear',
        about: 'remove all fallbacks',
        options: [JSON_OPTION],
        examples: ['hermes fallback clear'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../fallback/fallback.ts')).clearFallbacks(options, io),
      },
    ],
  },
];
