import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { AddOptions } from './add.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

const PROVIDER = 'its name, or that of an endpoint of your own';

/** The commands about keys and logins. Nothing of them is loaded before one runs. */
export function describeAuth(program: Command, found: Found, inFull: boolean): void {
  const auth = program.command('auth').description('keys and logins');
  if (!inFull) return;
  auth.helpCommand(false).addHelpText('after', examples('hermes auth add openrouter', 'hermes auth list'));
  auth
    .command('add')
    .description('add a key, or log in; the key is asked for, or read from standard input')
    .argument('<provider>', PROVIDER)
    .option('--key <key>', '- reads it from standard input; a key given here stays in the history of the shell')
    .option('--login', 'log in at the provider')
    .option('--import', 'take over the login of the Codex command line')
    .option('--label <label>', 'what to call it')
    .addHelpText(
      'after',
      examples(
        'hermes auth add openrouter',
        'hermes auth add anthropic --key - < key.txt',
        'hermes auth add copilot --login',
      ),
    )
    .action((provider: string, options: AddOptions) =>
      found(async (io) => (await import('./add.ts')).addCredential(provider, options, io)),
    );
  describeLooking(auth, found);
  describeChanging(auth, found);
}

function describeLooking(auth: Command, found: Found): void {
  auth
    .command('list')
    .description('show all keys and logins, and which of them rest')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes auth list'))
    .action((options: Json) => found(async (io) => (await import('./credentials.ts')).listAuth(options, io)));
  auth
    .command('status')
    .description('show what the next call of each provider would be sent with, and what needs attention')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes auth status'))
    .action((options: Json) => found(async (io) => (await import('./credentials.ts')).showAuthStatus(options, io)));
}

function describeChanging(auth: Command, found: Found): void {
  auth
    .command('remove')
    .description('remove a key or login')
    .argument('<provider>', PROVIDER)
    .argument('[credential]', 'its id or label, where there are several')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('hermes auth remove openrouter', 'hermes auth remove openrouter work --yes'))
    .action((provider: string, credential: string | undefined, options: { yes?: boolean }) =>
      found(async (io) => (await import('./credentials.ts')).removeAuth(provider, credential, options, io)),
    );
  auth
    .command('reset')
    .description('use resting and marked keys and logins again')
    .argument('[provider]', 'only of this one')
    .addHelpText('after', examples('hermes auth reset openrouter'))
    .action((provider: string | undefined) =>
      found(async (io) => (await import('./credentials.ts')).resetAuth(provider, io)),
    );
}
