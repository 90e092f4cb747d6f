import { ConfigurationError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { rememberSecrets } from '../../../util/index.ts';
import {
  findSetupPlatform,
  saveSetup,
  SETUP_PLATFORMS,
  type SetupChoices,
  type SetupPlatform,
  verifyToken,
} from '../../gateway/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { writeWarning } from '../report-error.ts';
import { printable } from '../style.ts';

export type GatewaySetupOptions = {
  token?: string;
  allow?: string;
  pairing?: boolean;
  home?: string;
  offline?: boolean;
};

/** `hermes gateway setup`: asks in a terminal, or takes everything from the options. */
export async function setUpGateway(
  name: string | undefined,
  options: GatewaySetupOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const chosen = options.token === undefined ? await ask(name, options, io) : await readOptions(name, options, io);
  if (chosen === undefined) {
    io.stderr.write('Cancelled; nothing was changed.\n');
    return 1;
  }
  const { platform, ...choices } = chosen;
  rememberSecrets([choices.token]);
  const home = resolveHome(io.env);
  if (!options.offline) {
    const { name: bot } = await verifyToken({ home, env: io.env }, platform, { token: choices.token, signal });
    io.stdout.write(printable(`The token belongs to ${bot}.`) + '\n');
  }
  await saveSetup(home, platform, choices);
  const next = (choices.allowed?.length ?? 0) > 0 ? '' : ' Write to the bot, and approve the code that it sends you.';
  io.stdout.write(`${platform.label} is set up. Start the gateway with \`hermes gateway run\`.${next}\n`);
  return 0;
}

type Chosen = SetupChoices & { platform: SetupPlatform };

async function readOptions(name: string | undefined, options: GatewaySetupOptions, io: CliIo): Promise<Chosen> {
  const { token = '', allow, pairing, home } = options;
  if (allow !== undefined && pairing) throw new ConfigurationError('--allow and --pairing cannot be combined.');
  if (token !== '-')
    writeWarning(io, 'The token is now in your shell history. Next time, use --token - and pass it on stdin.');
  return {
    platform: findSetupPlatform(name ?? ''),
    token: checkToken(token === '-' ? await readInput(io) : token),
    allowed: pairing ? [] : allow === undefined ? undefined : readIds(allow),
    homeChannel: home,
  };
}

function checkToken(text: string): string {
  const token = text.trim();
  if (token === '' || /\s/.test(token)) throw new ConfigurationError('The token is empty or contains spaces.');
  return token;
}

function readIds(text: string): string[] {
  const ids = text.split(',').flatMap((id) => id.trim() || []);
  if (ids.length === 0) throw new ConfigurationError('There are no user ids in the list.');
  return ids;
}

/** Undefined if the user cancelled. */
async function ask(name: string | undefined, options: GatewaySetupOptions, io: CliIo): Promise<Chosen | undefined> {
  if (!isTerminal(io))
    throw new ConfigurationError('`hermes gateway setup` needs a terminal to ask in.', {
      hint: 'Without one, pass everything: hermes gateway setup telegram --token - --pairing < token.txt',
    });
  const prompts = await import('@clack/prompts');
  prompts.intro('Connect a messaging platform');
  const platforms = SETUP_PLATFORMS.map(({ name: value, label }) => ({ value, label }));
  const platformName = name ?? (await prompts.select({ message: 'Which platform?', options: platforms }));
  if (prompts.isCancel(platformName)) return undefined;
  const platform = findSetupPlatform(platformName);
  prompts.log.info(platform.tokenHelp);
  const token = await prompts.password({
    message: `Token of the bot on ${platform.label} (stored in .env, readable only by you)`,
    validate: (value) => (value?.trim() ? undefined : 'Enter the token.'),
  });
  if (prompts.isCancel(token)) return undefined;
  const allowed = await askForUsers(platform, options);
  if (allowed === 'cancelled') return undefined;
  const home =
    options.home ??
    (await prompts.text({
      message:
        'Home channel: the id of the chat for messages without another target (empty: set it later with /sethome)',
      defaultValue: allowed[0] ?? '',
      ...(allowed[0] !== undefined && { placeholder: allowed[0] }),
    }));
  if (prompts.isCancel(home)) return undefined;
  return { platform, token: checkToken(token), allowed, homeChannel: home.trim() || undefined };
}

async function askForUsers(platform: SetupPlatform, options: GatewaySetupOptions): Promise<string[] | 'cancelled'> {
  if (options.allow !== undefined) return readIds(options.allow);
  if (options.pairing) return [];
  const prompts = await import('@clack/prompts');
  const way = await prompts.select({
    message: 'Who may use the bot?',
    options: [
      { value: 'pairing', label: 'People whom I approve', hint: 'they write to the bot and get a code' },
      { value: 'list', label: 'A list of user ids', hint: platform.idHelp },
    ],
  });
  if (prompts.isCancel(way)) return 'cancelled';
  if (way === 'pairing') return [];
  const ids = await prompts.text({
    message: 'User ids, separated by commas; the first one is the admin',
    validate: (value) => (value?.trim() ? undefined : 'Enter at least one id.'),
  });
  return prompts.isCancel(ids) ? 'cancelled' : readIds(ids);
}
