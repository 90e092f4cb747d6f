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

const GROUP = 'Connect a model:';

const PROVIDER: ValueRow = { form: '<provider>', about: 'its name, or that of an endpoint of your own' };

const ENDPOINT_OPTIONS: readonly ValueRow[] = [
  { form: '--base-url <url>', about: 'the address of the endpoint' },
  { form: '--api-key-env <variable>', about: 'the variable that holds the key' },
  {
    form: '--api-mode <mode>',
    about: 'which wire format it speaks',
    choices: API_MODES,
  },
  { form: '--force', about: 'also a model that is not known' },
  { form: '--offline', about: 'ask nobody whether the model is there' },
];

/** The commands that connect a model. */
export const MODEL_COMMANDS: readonly CommandRow[] = [
  {
    name: 'setup',
    group: GROUP,
    about: 'connect a model: asks for provider, key and model, makes a real call and offers a chat',
    summary: 'connect a model, from nothing to a first answer',
    options: [
      { form: '--provider <name>', about: 'the provider; with it nothing is asked, as with `hermes model set`' },
      { form: '--model <name>', about: 'the model' },
      { form: '--base-url <url>', about: 'the address of the endpoint' },
      { form: '--api-key-env <variable>', about: 'the variable that holds the key' },
      { form: '--force', about: 'also a model that is not known' },
      { form: '--offline', about: 'ask nobody whether the model is there' },
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
    about: 'choose a provider and a model in the terminal, and save them',
    summary: 'choose provider and model, and save them',
    examples: ['hermes model', 'hermes model set openrouter', 'hermes model show'],
    commands: [
      {
        name: 'set',
        about: 'save a provider and a model without asking',
        arguments: [
          PROVIDER,
          { form: '[model]', about: 'the model; the usual one of the provider where none is named' },
        ],
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
        about: 'show the model that is used, and what is known of it',
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
    about: 'keys and logins',
    examples: ['hermes auth add openrouter', 'hermes auth list'],
    commands: [
      {
        name: 'add',
        about: 'add a key, or log in; the key is asked for, or read from standard input',
        arguments: [PROVIDER],
        options: [
          {
            form: '--key <key>',
            about: '- reads it from standard input; a key given here stays in the history of the shell',
          },
          { form: '--login', about: 'log in at the provider' },
          { form: '--import', about: 'take over the login of the Codex command line' },
          { form: '--label <label>', about: 'what to call it' },
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
        about: 'show all keys and logins, and which of them rest',
        options: [JSON_OPTION],
        examples: ['hermes auth list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../auth/credentials.ts')).listAuth(options, io),
      },
      {
        name: 'status',
        about: 'show what the next call of each provider would be sent with, and what needs attention',
        options: [JSON_OPTION],
        examples: ['hermes auth status'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../auth/credentials.ts')).showAuthStatus(options, io),
      },
      {
        name: 'remove',
        about: 'remove a key or login',
        arguments: [PROVIDER, { form: '[credential]', about: 'its id or label, where there are several' }],
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
        about: 'use resting and marked keys and logins again',
        arguments: [{ form: '[provider]', about: 'only of this one' }],
        examples: ['hermes auth reset openrouter'],
        run: async ({ values: [provider], io }: CommandCall<object, [string | undefined]>) =>
          (await import('../../auth/credentials.ts')).resetAuth(provider, io),
      },
    ],
  },
  {
    name: 'fallback',
    group: GROUP,
    about: 'the models that take over where the first one fails',
    examples: ['hermes fallback add ollama qwen3', 'hermes fallback list'],
    commands: [
      {
        name: 'list',
        about: 'show them in their order, and whether each can be opened',
        options: [JSON_OPTION],
        examples: ['hermes fallback list'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../fallback/fallback.ts')).listFallbacks(options, io),
      },
      {
        name: 'add',
        about: 'add one at the end',
        arguments: [PROVIDER, { form: '<model>', about: 'the model' }],
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
        about: 'take one out',
        arguments: [{ form: '<which>', about: 'its number in the list, or PROVIDER/MODEL' }],
        options: [JSON_OPTION],
        examples: ['hermes fallback remove 1'],
        run: async ({ values: [which], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../fallback/fallback.ts')).removeFallback(which, options, io),
      },
      {
        name: 'clear',
        about: 'take all of them out',
        options: [JSON_OPTION],
        examples: ['hermes fallback clear'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../fallback/fallback.ts')).clearFallbacks(options, io),
      },
    ],
  },
];
