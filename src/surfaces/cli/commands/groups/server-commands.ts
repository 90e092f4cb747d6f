import type { AddKeyOptions } from '../../serve/keys.ts';
import type { ServeOptions } from '../../serve/serve.ts';
import { InvalidValue } from '../cli-command.ts';
import { type CommandCall, type CommandRow, type Json, JSON_OPTION } from '../command-row.ts';
import { parseAmount, parseNames } from '../option-values.ts';

const GROUP = 'Programs and editors:';
const NAME = { form: '<name>', about: 'the name of the key, such as open-webui' };

/** The commands for programs that use Hermes over HTTP. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  {
    name: 'serve',
    group: GROUP,
    about: 'serve an OpenAI-compatible API for chat front ends and programs, until Ctrl-C',
    summary: 'serve an OpenAI-compatible API',
    options: [
      { form: '--host <address>', about: 'the address to listen on (default: API_SERVER_HOST, or 127.0.0.1)' },
      {
        form: '--port <port>',
        about: 'the port (default: API_SERVER_PORT, or 8642); 0 is any free one',
        parse: parsePort,
      },
    ],
    notes:
      'Every request needs a key. The first start creates one and says in which file it is; API_SERVER_KEY sets one, and `hermes api key add` creates others with fewer rights. On another address than 127.0.0.1, the server starts only with a key that you have set. `hermes gateway run` starts the API, too, if API_SERVER_ENABLED or API_SERVER_KEY is set.',
    examples: ['hermes serve', 'hermes serve --port 9000'],
    run: async ({ options, run }: CommandCall<ServeOptions>) =>
      (await import('../../serve/serve.ts')).serve(options, run),
  },
  {
    name: 'api',
    group: GROUP,
    about: 'manage the keys of the API that `hermes serve` offers',
    summary: 'manage the keys of the API',
    examples: ['hermes api key add open-webui', 'hermes api key list'],
    commands: [
      {
        name: 'key',
        about: 'create, list and revoke keys of the API',
        examples: ['hermes api key add open-webui', 'hermes api key list', 'hermes api key revoke open-webui'],
        commands: [
          {
            name: 'add',
            about: 'create a key and print it; only its hash is stored',
            arguments: [NAME],
            options: [
              {
                form: '--toolsets <names>',
                about: 'allow only these tool sets (comma-separated)',
                parse: parseNames,
              },
              {
                form: '--models <names>',
                about: 'allow these models besides the configured one, as provider/model, provider/* or *',
                parse: parseNames,
              },
              {
                form: '--limit-usd-day <usd>',
                about: 'what the sessions of the key may cost per day',
                parse: parseAmount,
              },
              {
                form: '--owner',
                about: 'act as you: with your memory, all sessions, jobs, and answers to approvals',
              },
              JSON_OPTION,
            ],
            notes:
              'Without --owner, a key sees only its own sessions, and Hermes tells it nothing from your memory or your other sessions. A running server accepts the key immediately.',
            examples: [
              'hermes api key add open-webui --owner',
              'hermes api key add friend --toolsets web,vision --limit-usd-day 2',
            ],
            run: async ({ values: [name], options, io }: CommandCall<AddKeyOptions, [string]>) =>
              (await import('../../serve/keys.ts')).addApiKey(name, options, io),
          },
          {
            name: 'list',
            aliases: ['ls'],
            onlyReads: true,
            about: 'list the keys and their rights, without their secrets',
            options: [JSON_OPTION],
            examples: ['hermes api key list'],
            run: async ({ options, io }: CommandCall<Json>) =>
              (await import('../../serve/keys.ts')).listApiKeys(options, io),
          },
          {
            name: 'revoke',
            aliases: ['rm'],
            about: 'revoke a key; its sessions stay',
            arguments: [NAME],
            examples: ['hermes api key revoke open-webui'],
            run: async ({ values: [name], io }: CommandCall<object, [string]>) =>
              (await import('../../serve/keys.ts')).revokeApiKey(name, io),
          },
        ],
      },
    ],
  },
];

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidValue('a port from 0 to 65535');
}
