import { readsSecrets } from '../files/guarded-paths.ts';
import { printsFiles, usesNamesOnly } from '../files/read-arguments.ts';
import { namesEnvFile } from '../files/env-files.ts';
import { OF_WORKLOAD, SECRET_RULE } from '../files/secrets.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { isShown } from './environment-rules.ts';
import type { CommandRule } from './rule.ts';
import { SECRET_READERS, type SecretReader } from './secret-readers.ts';

const BY_PROGRAM: ReadonlyMap<string, SecretReader[]> = SECRET_READERS.reduce((index, reader) => {
  for (const program of reader[0].split(' ')) index.set(program, [...(index.get(program) ?? []), reader]);
  return index;
}, new Map<string, SecretReader[]>());

function printsSecret(command: ShellCommand): boolean {
  const { name, args } = command;
  const words = parseSubcommand(name, args).words.slice(0, 8).join(' ').slice(0, 500);
  const options = args.filter((arg, index) => arg.startsWith('-') || args[index - 1]?.startsWith('-')).join(' ');
  const all = args.join(' ').slice(0, 500);
  return (BY_PROGRAM.get(name) ?? []).some(
    ([, verbs, wanted, unless, shown]) =>
      verbs.test(words) &&
      (wanted === undefined || wanted.test(options) || wanted.test(all)) &&
      !unless?.test(options) &&
      (shown === undefined || isShown(command)),
  );
}

/** Programs that read the content of an archive. */
const UNPACKERS = new Set(
  'tar bsdtar gtar unzip 7z 7za 7zz zcat gunzip gzip zgrep cpio python3 python bsdcat xz zstd'.split(' '),
);

const SECRET_PATTERN = /pass|token|secret|key\b|auth(?!or)|bearer|cred.*=|extraheader|sk-|ghp_|akia/i;

/** A search for keys in the settings of a client, in the state of Terraform or in the history of the shell. */
function searchesOutput({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:[ef]?grep|rg|ag|ack|awk|gawk|sed|jq)$/.test(name)) return false;
  const isSearched = fedBy.some(
    (source) =>
      /^(?:history|fc)$/.test(source.name) ||
      (/^(?:terraform|tofu|terragrunt)$/.test(source.name) && /^(?:show|output)$/.test(source.args[0] ?? '')) ||
      /^(?:tcpdump|tshark|ngrep|tcpflow)$/.test(source.name) ||
      (/^(?:git|npm|pnpm|yarn|pip3?|composer|bundle)$/.test(source.name) && source.args[0] === 'config'),
  );
  return isSearched && args.some((arg) => SECRET_PATTERN.test(arg));
}

/** `jq '…password' terraform.tfstate`: the state contains every secret of the infrastructure in plain text. */
function searchesState({ name, args, suspected, redirects }: ShellCommand): boolean {
  if (suspected || !printsFiles(name)) return false;
  const words = [...args, ...redirects.map(({ target }) => target)];
  if (!words.some((word) => /\.tfstate(?:\.backup)?$/.test(word))) return false;
  return /^(?:cat|less|more|bat|base64|strings|xxd|cp)$/.test(name) || args.some((arg) => SECRET_PATTERN.test(arg));
}

/** The files through which containers get their secrets, also inside a container. */
function readsWorkloadSecret({ name, args, remote, suspected }: ShellCommand): boolean {
  if (remote === undefined || suspected || usesNamesOnly(name)) return false;
  return args.some(
    (arg) =>
      OF_WORKLOAD.test(arg) ||
      NAMED_IN_CONTAINER.test(arg) ||
      readsEnvFile(arg) ||
      /^\/proc\/[^/]+\/environ$|^\/etc\/shadow$/.test(arg),
  );
}

/** Files in a container that are named after what they contain. */
const NAMED_IN_CONTAINER =
  /^\/(?:[^/\s]+\/)*(?:[\w-]*[._-])?(?:secrets?|credentials?|creds|passwords?|tokens?|htpasswd)(?:\.(?:ya?ml|json|toml|ini|txt|xml|conf|properties|db))?$/i;

/** `docker cp web:/run/secrets .`: the path in the container that is copied. */
function copiesWorkloadSecret({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:docker|podman|nerdctl|kubectl|oc|lxc|incus)$/.test(name) || !args.includes('cp')) return false;
  return args.some((arg) => {
    const path = /^(?:[\w.-]+\/)?[\w.-]+:(\/.*)$/.exec(arg)?.[1]?.replace(/\/+\.?$/, '');
    return (
      path !== undefined &&
      (OF_WORKLOAD.test(`${path}/x`) ||
        NAMED_IN_CONTAINER.test(path) ||
        readsEnvFile(path) ||
        /^\/etc\/shadow$|\/\.(?:ssh|aws|gnupg)(?:\/|$)/.test(path))
    );
  });
}

/** Containers of password managers, whose data is what they protect. */
const PASSWORD_MANAGER =
  /^(?:[\w.-]*[._-])?(?:vaultwarden|bitwarden|passbolt|psono|keepass\w*|infisical|vault)(?:[._-][\w.-]*)?$/;

/** `docker exec vaultwarden cat /data/config.json`. */
function readsPasswordManager({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:docker|podman|nerdctl|docker-compose|podman-compose|kubectl|oc)$/.test(name)) return false;
  const at = args.findIndex((arg) =>
    PASSWORD_MANAGER.test(arg.replace(/^(?:deploy(?:ment)?|sts|statefulset|pod)\//, '').replace(/:.*$/, '')),
  );
  if (at < 1) return false;
  if (args.includes('cp')) return /:/.test(args[at] ?? '');
  const [program = '', ...rest] = args.slice(at + 1).filter((arg) => arg !== '--');
  return args.slice(0, at).includes('exec') && printsFiles(program) && rest.some((arg) => arg.startsWith('/'));
}

/** The API of the container engine shows the variables, files and secrets of containers. */
function asksEngine({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !/^(?:curl|wget2?|https?|xh|xhs|nc|ncat|socat)$/.test(name)) return false;
  const isEngine = args.some((arg) => /\/(?:docker|podman)\.sock\b|:237[56](?:\/|$)/.test(arg));
  return (
    isEngine &&
    args.some((arg) =>
      /\/(?:containers\/(?!json)[^/\s]+\/(?:json|archive|export)|secrets|configs)(?:[/?\s]|$)/.test(arg),
    )
  );
}

/** Whether an argument names an environment file, also after a revision or an option. */
const readsEnvFile = (arg: string) =>
  arg.length < 500 && !/\s/.test(arg) && namesEnvFile(arg.split(/[/:=]/).at(-1) ?? '');

/** Commands that reveal secrets to the model and to everyone who reads the session, or that delete them. */
export const SECRET_RULES: readonly CommandRule[] = [
  { rule: SECRET_RULE, when: (command, facts) => command.remote !== 'container' && readsSecrets(command, facts) },
  { rule: SECRET_RULE, when: readsWorkloadSecret },
  { rule: SECRET_RULE, when: copiesWorkloadSecret },
  { rule: SECRET_RULE, when: readsPasswordManager },
  { rule: SECRET_RULE, when: asksEngine },
  { rule: SECRET_RULE, everydayName: true, commands: [...BY_PROGRAM.keys()], when: printsSecret },
  {
    rule: SECRET_RULE,
    commands: ['terraform', 'tofu'],
    everydayName: true,
    when: ({ args, input }) => args[0] === 'console' && SECRET_PATTERN.test(input ?? ''),
  },
  // A backup of Hermes contains its keys.
  {
    rule: SECRET_RULE,
    when: ({ name, consumers }, { backup }) =>
      backup === true &&
      (UNPACKERS.has(name) || consumers.some((stage) => stage.some((one) => UNPACKERS.has(one.name)))),
  },
  // The output of inspect contains the variables of the container.
  {
    rule: SECRET_RULE,
    aboutInput: true,
    when: ({ name, args, fedBy }) =>
      /^(?:jq|yq|grep|rg|python3?)$/.test(name) &&
      fedBy.some((source) => /^(?:docker|podman|nerdctl)$/.test(source.name) && source.args.includes('inspect')) &&
      args.some((arg) => /\bEnv\b|pass|secret|token|key/i.test(arg)),
  },
  // Without a dash, `e` shows the environment of every process; on macOS the option is -E.
  {
    rule: SECRET_RULE,
    everydayName: true,
    commands: ['ps'],
    when: ({ args }) =>
      args.some(
        (arg, index) =>
          /^-E|^-o.*environ/.test(arg) || (/^[a-z]*e[a-z]*$/.test(arg) && !args[index - 1]?.startsWith('-')),
      ),
  },
  { rule: SECRET_RULE, aboutInput: true, when: searchesOutput },
  { rule: SECRET_RULE, when: searchesState },
  {
    rule: 'change credentials',
    everydayName: true,
    commands: 'gpg gpg2 pass gopass op bw secret-tool keyring security'.split(' '),
    when: ({ name, args }) => DELETES_SECRET.test(`${name} ${args.join(' ')}`),
  },
];

/** Commands that permanently delete a key or a password. */
const DELETES_SECRET =
  /^gpg2? .*--delete-secret|^(?:gopass|pass) (?:rm|remove|delete)\b|^op (?:item|vault|document) delete\b|^bw delete\b|^secret-tool clear\b|^keyring del\b|^security delete-/;
