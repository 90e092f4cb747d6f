import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import type { ChannelIdentity, Platform, SetupToken } from '../../../contracts/index.ts';
import { PLATFORMS } from '../../../platforms/index.ts';
import { rememberSecrets } from '../../../util/index.ts';
import { findPlatform, saveSetup, type SetupChoices, type SetupTokens, verifyTokens } from '../../gateway/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { writeWarning } from '../report-error.ts';
import { printable } from '../style.ts';

export type GatewaySetupOptions = {
  token?: string;
  appToken?: string;
  allow?: string;
  pairing?: boolean;
  home?: string;
  offline?: boolean;
};

type Chosen = SetupChoices & { platform: Platform; bot: ChannelIdentity | undefined };

/** `hermes gateway setup`: asks in a terminal, or takes everything from the options. */
export async function setUpGateway(
  name: string | undefined,
  options: GatewaySetupOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const chosen =
    options.token === undefined
      ? await ask(name, options, { io, signal })
      : await readOptions(name, options, { io, signal });
  if (chosen === undefined) {
    io.stderr.write('Cancelled; nothing was changed.\n');
    return 1;
  }
  const { platform, bot, ...choices } = chosen;
  await saveSetup({ home: resolveHome(io.env), env: io.env }, platform, choices);
  const next = [
    `${platform.label} is set up. Next:`,
    '- Start the gateway: hermes gateway run',
    ...(bot === undefined ? [] : [`- ${platform.setup.firstContact(bot)}`]),
    ...((choices.allowed?.length ?? 0) > 0 || options.allow !== undefined
      ? []
      : [`- The bot answers with a code. Approve it: hermes pairing approve ${platform.name} CODE`]),
  ];
  io.stdout.write(`${next.map((line) => printable(line)).join('\n')}\n`);
  return 0;
}

type SetupContext = { io: CliIo; signal: AbortSignal };

async function verify(platform: Platform, tokens: SetupTokens, { io, signal }: SetupContext): Promise<ChannelIdentity> {
  // The name of a server, for example, must stay readable in messages.
  const secret = platform.setup.tokens.filter(({ isPublic }) => isPublic !== true);
  rememberSecrets(secret.map(({ variable }) => tokens[variable]));
  return verifyTokens({ home: resolveHome(io.env), env: io.env }, platform, { tokens, signal });
}

async function readOptions(
  name: string | undefined,
  options: GatewaySetupOptions,
  context: SetupContext,
): Promise<Chosen> {
  const { io } = context;
  const { token = '', appToken, allow, pairing, home } = options;
  if (allow !== undefined && pairing) throw new ConfigurationError('--allow and --pairing cannot be combined.');
  const platform = findPlatform(name ?? '');
  if (token !== '-')
    writeWarning(io, 'The token is now in your shell history. Next time, use --token - and pass it on stdin.');
  const given = (token === '-' ? await readInput(io) : token).split(/\s+/).filter((part) => part !== '');
  const tokens = toTokens(platform, appToken === undefined ? given : [...given, appToken]);
  const bot = options.offline ? undefined : await verify(platform, tokens, context);
  if (bot !== undefined) io.stdout.write(`${printable(`The token belongs to ${bot.name}.`)}\n`);
  return {
    platform,
    bot,
    tokens,
    allowed: pairing ? [] : allow === undefined ? undefined : readIds(allow),
    homeChannel: home,
  };
}

/** The tokens of a platform, in the order of its rows. */
function toTokens({ label, setup: { tokens } }: Platform, given: readonly string[]): SetupTokens {
  if (given.length > tokens.length) throw new ConfigurationError('The token contains spaces, or there are too many.');
  const missing = tokens[given.length];
  if (missing !== undefined)
    throw new ConfigurationError(`${label} needs its ${missing.label}.`, {
      hint:
        tokens.length > 1
          ? 'Pass both on stdin with --token -, or the second one with --app-token.'
          : 'Pass it with --token.',
    });
  const pairs = tokens.map((token, index) => [token.variable, requireForm(token, given[index] ?? '')] as const);
  return Object.fromEntries(pairs);
}

function requireForm({ label, form }: SetupToken, token: string): string {
  if (form === undefined || form.pattern.test(token)) return token;
  throw new ConfigurationError(`The ${label} is not valid.`, { hint: form.hint });
}

function readIds(text: string): string[] {
  const ids = text.split(',').flatMap((id) => id.trim() || []);
  if (ids.length === 0) throw new ConfigurationError('There are no user ids in the list.');
  return ids;
}

/** Undefined if the user cancelled. */
async function ask(
  name: string | undefined,
  options: GatewaySetupOptions,
  context: SetupContext,
): Promise<Chosen | undefined> {
  const { io } = context;
  if (!isTerminal(io))
    throw new ConfigurationError('`hermes gateway setup` needs a terminal to ask in.', {
      hint: 'Without one, pass everything: hermes gateway setup telegram --token - --pairing < token.txt',
    });
  const prompts = await import('@clack/prompts');
  prompts.intro('Connect a messaging platform');
  const platforms = PLATFORMS.map(({ name: value, label }) => ({ value, label }));
  const platformName = name ?? (await prompts.select({ message: 'Which platform?', options: platforms }));
  if (prompts.isCancel(platformName)) return undefined;
  const platform = findPlatform(platformName);
  prompts.log.info(platform.setup.steps.map((step, index) => `${index + 1}. ${step}`).join('\n'));
  // Without a frame, so that it can be copied.
  if (platform.setup.manifest !== undefined) io.stdout.write(`\n${platform.setup.manifest}\n`);
  const verified = await askForTokens(platform, options, context);
  if (verified === undefined) return undefined;
  const allowed = await askForUsers(platform, options);
  if (allowed === 'cancelled') return undefined;
  const usual = platform.setup.hasUserChats ? (allowed[0] ?? '') : '';
  const home =
    options.home ??
    (await prompts.text({
      message:
        'Home channel: the id of the chat for messages without another target (empty: set it later with /sethome)',
      defaultValue: usual,
      ...(usual !== '' && { placeholder: usual }),
    }));
  if (prompts.isCancel(home)) return undefined;
  return { platform, ...verified, allowed, homeChannel: home.trim() || undefined };
}

/** Asks until the platform accepts the tokens. */
async function askForTokens(
  platform: Platform,
  { offline }: GatewaySetupOptions,
  context: SetupContext,
): Promise<Pick<Chosen, 'tokens' | 'bot'> | undefined> {
  const prompts = await import('@clack/prompts');
  for (;;) {
    const tokens: Record<string, string> = {};
    for (const { variable, label, form } of platform.setup.tokens) {
      const token = await prompts.password({
        message: `${platform.label} ${label} (stored in .env, readable only by you)`,
        validate(value = '') {
          if (value.trim() === '') return 'Enter the token.';
          return form === undefined || form.pattern.test(value.trim()) ? undefined : form.hint;
        },
      });
      if (prompts.isCancel(token)) return undefined;
      tokens[variable] = token.trim();
    }
    if (offline) return { tokens, bot: undefined };
    try {
      const bot = await verify(platform, tokens, context);
      prompts.log.success(printable(`The token belongs to ${bot.name}.`));
      return { tokens, bot };
    } catch (thrown) {
      if (context.signal.aborted) throw thrown;
      const hint = thrown instanceof HermesError ? thrown.hint : undefined;
      prompts.log.error(printable([errorMessage(thrown), hint].filter((part) => part !== undefined).join('\n')));
    }
  }
}

async function askForUsers(platform: Platform, options: GatewaySetupOptions): Promise<string[] | 'cancelled'> {
  if (options.allow !== undefined) return readIds(options.allow);
  if (options.pairing) return [];
  const prompts = await import('@clack/prompts');
  const way = await prompts.select({
    message: 'Who may use the bot?',
    options: [
      { value: 'pairing', label: 'People whom I approve', hint: 'they write to the bot and get a code' },
      { value: 'list', label: 'A list of user ids', hint: platform.setup.idHelp },
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
