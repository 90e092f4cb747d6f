import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import {
  addKey,
  addLogin,
  type CredentialOwner,
  findOwner,
  importLogin,
} from '../../../providers/credentials/index.ts';
import { findKeyProblem } from '../../../providers/index.ts';
import { maskSecret } from '../../../util/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { writeWarning } from '../report-error.ts';
import { createLoginHooks } from './login-hooks.ts';

export type AddOptions = { key?: string; login?: boolean; import?: boolean; label?: string };

/** `hermes auth add`: stores an API key if the provider accepts one, otherwise logs in. */
export async function addCredential(provider: string, options: AddOptions, io: CliIo): Promise<number> {
  const label = validateLabel(options.label);
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owner = findOwner(settings, provider);
  const added = await createCredential(settings, owner, { ...options, label }, io);
  if (added === undefined) {
    io.stderr.write('Cancelled; nothing was changed.\n');
    return 1;
  }
  const { credential, replaced } = added;
  const shown = credential.kind === 'oauth' ? 'login' : `key ${maskSecret(credential.secret)}`;
  io.stdout.write(`${replaced ? 'Replaced' : 'Added'} ${credential.label} (${shown}) for ${owner.name}.\n`);
  return 0;
}

async function createCredential(settings: Settings, owner: CredentialOwner, options: AddOptions, io: CliIo) {
  const { key, label } = options;
  if ([key !== undefined, options.login, options.import].filter(Boolean).length > 1) {
    throw new ConfigurationError('--key, --login and --import cannot be combined.', { hint: 'Pass only one of them.' });
  }
  if (options.import) {
    const imported = await importLogin(settings, owner, { label });
    io.stderr.write('Both programs now share one login: if one of them has to log in again, so does the other.\n');
    return imported;
  }
  const takesKey = key !== undefined || owner.keyVariables.length > 0 || owner.login === undefined;
  if (options.login || !takesKey) return addLogin(settings, owner, createLoginHooks(io), { label });
  const secret = await readKey(key, owner, io);
  return secret === undefined ? undefined : addKey(settings, owner, secret, { label });
}

function validateLabel(label: string | undefined): string | undefined {
  const trimmed = label?.trim();
  // oxlint-disable-next-line no-control-regex
  if (trimmed === undefined || /^[^\u0000-\u001f\u007f]{1,60}$/.test(trimmed)) return trimmed;
  throw new ConfigurationError('A label must have 1 to 60 characters on one line.', {
    hint: 'For example --label work.',
  });
}

/** Reads the key from a hidden prompt or stdin. Returns undefined if the user cancelled. */
async function readKey(given: string | undefined, owner: CredentialOwner, io: CliIo): Promise<string | undefined> {
  if (given !== undefined && given !== '-') {
    const key = validateKey(given, '--key', owner);
    writeWarning(
      io,
      'The key is now in your shell history. Next time omit --key to be prompted for it, or use --key -.',
    );
    return key;
  }
  if (isTerminal(io)) {
    const prompts = await import('@clack/prompts');
    const typed = await prompts.password({
      message: `API key for ${owner.name}`,
      validate: (value) => (value?.trim() ? undefined : 'Enter a key.'),
    });
    return prompts.isCancel(typed) ? undefined : validateKey(typed ?? '', 'the prompt', owner);
  }
  return validateKey(await readInput(io), 'standard input', owner);
}

/** Checks the key now instead of failing at the first request. */
function validateKey(text: string, origin: string, { pool }: CredentialOwner): string {
  const key = text.trim();
  const hint = `Pass only the key, for example: hermes auth add ${pool} < key.txt`;
  if (key === '') throw new ConfigurationError(`The API key from ${origin} is empty.`, { hint });
  const fault = findKeyProblem(key);
  if (fault !== undefined) throw new ConfigurationError(`The API key from ${origin} contains ${fault}.`, { hint });
  return key;
}
