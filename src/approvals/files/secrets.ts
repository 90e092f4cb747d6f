import { join, resolve, sep } from 'node:path';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { MachineFacts, SecretPaths } from './command-paths.ts';

/** Files below the home directory that contain only secrets. */
const IN_HOME = [
  '.aws/credentials',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.docker/config.json',
  '.kube/config',
  '.config/gh/hosts.yml',
  '.config/gcloud',
  '.azure',
  '.cargo/credentials.toml',
  '.vault-token',
  '.password-store',
  '.gnupg',
  '.mozilla',
  '.config/google-chrome',
  '.local/share/keyrings',
  '.my.cnf',
  '.config/chromium',
  '.config/BraveSoftware',
  '.thunderbird',
  '.config/rclone/rclone.conf',
  '.s3cfg',
  '.boto',
  '.config/doctl',
  '.config/hub',
  '.config/op',
  '.config/sops',
  '.fly',
  '.cache/huggingface/token',
  '.m2/settings.xml',
  '.gem/credentials',
  '.composer/auth.json',
  '.bitcoin',
  '.ethereum',
  '.electrum',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  '.terraform.d/credentials.tfrc.json',
];
const OWN = ['.env', 'auth.json', 'mcp-tokens', 'pairing'];
/** Folders with secrets that must not be read recursively. */
const FOLDERS = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.config/gh', '.config/gcloud'];
const PRIVATE_KEY = /\/\.ssh\/(?!config$|known_hosts|authorized_keys|.*\.pub$)[^/]+$|\/ssh_host_\w+_key$/;
const OF_PROCESS = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|kcore)$|^\/proc\/kcore$/;
const OF_SYSTEM = /^\/etc\/(?:g?shadow-?|sudoers|master\.passwd|krb5\.keytab)$|^\/dev\/(?:mem|kmem|port)$/;
/** Files under /dev that can be read like ordinary files. */
const PLAIN_DEVICE = /^\/dev\/(?:null|shm\/.*|fd\/\d+)$/;
export const SECRET_RULE = 'read credentials';
const DEVICE_RULE = 'read a device';
/** Words that mark an environment variable as a secret when they are a whole part of its name. */
const SECRET_WORD =
  /(?:^|_)(?:API_?KEY|APIKEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|PAT|PRIVATE_KEY|ACCESS_KEY|AUTH)(?:_(?:ID|B64|BASE64|V?\d+))?$/;
/** Exceptions: names that match but do not hold a secret. */
const NO_SECRET =
  /(?:PUBLIC|KEY_ID|SSH_AUTH|PRIMARY|FOREIGN|SORT|CACHE|PARTITION|PUBLISHABLE|NEXT_PUBLIC|MAX|NUM)_|^(?:KEY|PASS|AUTH)$/;

/** All secret paths below each form of the home directories. */
export function findSecretPaths(homes: readonly string[], hermesHomes: readonly string[]): SecretPaths {
  const below = (folders: readonly string[], names: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return { own: below(hermesHomes, OWN), inHome: below(homes, IN_HOME), folders: below(homes, FOLDERS) };
}

/** Whether reading an absolute path needs approval or is blocked. */
export function judgeSecret(path: string, facts: MachineFacts): { verdict: 'ask' | 'block'; rule: string } | undefined {
  const { own, inHome } = facts.secretPaths;
  if (own.some((place) => isWithin(path, place)) || PRIVATE_KEY.test(path))
    return { verdict: 'block', rule: SECRET_RULE };
  if (OF_PROCESS.test(path) || OF_SYSTEM.test(path)) return { verdict: 'block', rule: SECRET_RULE };
  if (path.startsWith('/dev/') && !PLAIN_DEVICE.test(path)) return { verdict: 'block', rule: DEVICE_RULE };
  return inHome.some((place) => isWithin(path, place)) ? { verdict: 'ask', rule: SECRET_RULE } : undefined;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Programs that do not print the content of a file, or that only use a key. */
const NON_PRINTING_PROGRAMS = new Set([
  'ls',
  'stat',
  'test',
  '[',
  '[[',
  'file',
  'du',
  'tree',
  'realpath',
  'readlink',
  'dirname',
  'basename',
  'cd',
  'mkdir',
  'ssh',
  'ssh-add',
  'ssh-keygen',
  'ssh-copy-id',
  'sftp',
  'chmod',
  'chown',
  'rm',
  'touch',
  'echo',
  'printf',
  'find',
  'eza',
  'export',
  'docker',
  'podman',
  'git',
  'kubectl',
  'helm',
  'aws',
  'gcloud',
  'az',
  'terraform',
  'ansible',
  'vim',
  'vi',
  'nano',
  'nvim',
  'code',
  'tee',
  'shred',
  'unlink',
  'mv',
  'ln',
  'which',
  'hermes',
  '',
]);
/** Programs that read whole folders. */
const READS_FOLDERS = /^(?:tar|bsdtar|zip|7z|cp|rsync|scp|cat|grep|rg|find|base64|gzip|head|tail|strings|less|more)$/;

type Reading = Pick<ShellCommand, 'name' | 'args' | 'redirects' | 'directory'>;

/** Whether a command reads files that contain secrets. A path may follow `@`, `=` or a colon. */
export function readsSecrets(command: Reading, facts: MachineFacts): boolean {
  const input = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const args = NON_PRINTING_PROGRAMS.has(command.name)
    ? []
    : command.args.filter((_, index) => !isKeyOption(command, index));
  return [...args.flatMap(pathsIn), ...input].some((path) => isSecretPath(path, command, facts));
}

/** `-i KEY` of ssh and related programs uses the key without printing it. */
function isKeyOption({ name, args }: Reading, index: number): boolean {
  return (
    /^(?:scp|rsync|sshfs|mosh|ansible-playbook)$/.test(name) && /^(?:-i|-e|--private-key)$/.test(args[index - 1] ?? '')
  );
}

function pathsIn(arg: string): string[] {
  // An argument that contains whitespace is text that may mention a file.
  if (arg.length > 4000 || /\s/.test(arg)) return /^[~/]/.test(arg) ? [arg] : [];
  return [arg, ...arg.split(/[=@:,;]/).filter((part) => part !== arg && /^[~/.$]/.test(part))];
}

function isSecretPath(given: string, { name, directory }: Reading, facts: MachineFacts): boolean {
  if (given === '' || given.startsWith('-')) return false;
  // The pid in a `/proc` path may be a variable whose value is unknown.
  const spelled = given.replace(/^~(?=\/)/, facts.homes[0] ?? '~').replace(/^\/proc\/\$[\w{}$]+\//, '/proc/self/');
  if (/[$`]/.test(spelled) && !OF_PROCESS.test(spelled)) return /\/\.ssh\/id_\w+$/.test(spelled);
  const path = resolve(directory, spelled.replace(/\/[*?.]*\*[*?.]*$/, ''));
  if (judgeSecret(path, facts)?.rule === SECRET_RULE) return true;
  return READS_FOLDERS.test(name) && facts.secretPaths.folders.includes(path);
}

/** Whether the name of an environment variable suggests that it holds a secret. */
export function isSecretVariable(name: string): boolean {
  return SECRET_WORD.test(name) && !NO_SECRET.test(name);
}

/** Names of the secret variables that a text expands. Expansions that only test for presence do not count. */
export function secretVariablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{?([A-Z_][A-Z\d_]*)(?![A-Za-z\d_])(?!:?\+)/g)]
    .map((found) => found[1] ?? '')
    .filter(isSecretVariable);
}
