import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import { temporaryFolders } from '../files/file-guard.ts';
import { resolveWord } from '../files/resolve-path.ts';
import { splitCopy, uploadsOf } from '../files/copy-arguments.ts';
import type { ShellCommand, Source } from '../shell/shell-command.ts';
import { hostOf, isPrivateHost } from '../files/hosts.ts';
import { type CommandRule, hasOption } from './rule.ts';

const SEND = 'send personal files to another machine';

/** Folders below the home directory with the documents of the user. */
export const USER_FOLDER =
  /^\/(?:Documents|Desktop|Downloads|Pictures|Photos|Music|Videos|Movies|Mail|Maildir|Dropbox|OneDrive|Nextcloud|Notes|Private|Personal|Finance|Taxes|Backups?)(?:\/|$)/i;

/** Requests: what they upload is usually part of the project or was made for it. */
const REQUESTS = /^(?:curl|wget2?|https?|xh|xhs|curlie|httpie|nc|ncat|netcat|socat|telnet|openssl|websocat)$/;
/** Programs that copy files to another machine or send them by mail or chat. */
const COPIES =
  /^(?:scp|pscp|rsync|sftp|rclone|mail|mailx|mutt|neomutt|s-nail|mpack|swaks|sendemail|croc|wormhole|magic-wormhole|ffsend|telegram-send|slackcat|ipfs|onionshare-cli|ssh|lftp|ncftpput|smbclient|curlftpfs)$/;
const CLIPBOARD = /^(?:pbpaste|wl-paste|xclip|xsel|clipboard|cb)$/;

/** A file of the user that does not belong to the project: below the home directory, or a list of accounts. */
function isPersonal(word: string, directory: string, facts: MachineFacts, onlyFolders: boolean): boolean {
  return resolveWord(word, directory, facts).some(({ path, certainty }) => {
    if (certainty === 'unknown') return false;
    if (
      !onlyFolders &&
      /^\/(?:etc\/(?:passwd|group|hosts|fstab|ssh|crontab)|var\/(?:log|mail|backups|lib))(?:\/|$)/.test(path)
    )
      return true;
    const home = facts.homes.find((one) => isWithin(path, one));
    if (home === undefined || home === '/' || isWithin(path, facts.workingDirectory)) return false;
    if (temporaryFolders().some((folder) => isWithin(path, folder))) return false;
    return onlyFolders ? USER_FOLDER.test(path.slice(home.length)) : true;
  });
}

const hasPublicHost = (args: readonly string[]) => {
  const hosts = args
    .filter((arg) => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)|^\d+(?:\.\d+){3}$|^TCP\d?:/i.test(arg))
    .map((arg) => hostOf(arg.replace(/[$`].*$/s, '').replace(/^(?:TCP\d?|SSL|OPENSSL|UDP\d?):/i, '')));
  return hosts.some(
    (host) => host !== '' && !isPrivateHost(host) && !/\.(?:pdf|txt|json|zip|tgz|gz|png|jpg|csv|md|html?)$/.test(host),
  );
};

function readsPersonal({ name, args, directory }: Source, facts: MachineFacts, onlyFolders: boolean): boolean {
  if (CLIPBOARD.test(name)) return !args.some((arg) => arg.startsWith('-i'));
  if (/^(?:curl|wget|ssh|ls|stat|test|find|echo|printf|git|jq|wc|grep)$/.test(name)) return false;
  return args.some((arg) => /^[~/]/.test(arg) && isPersonal(arg, directory, facts, onlyFolders));
}

function sendsPersonal(command: ShellCommand, facts: MachineFacts): boolean {
  const { name, args, redirects, fedBy, directory, suspected } = command;
  if (suspected || (name === 'rsync' && hasOption(command, 'n', 'dry-run'))) return false;
  const given = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  if (REQUESTS.test(name)) {
    if (!hasPublicHost(args)) return false;
    const sent = uploadsOf(command);
    const files = [...sent.files, ...sent.bodies, ...given];
    return (
      files.some((file) => isPersonal(file, directory, facts, false)) ||
      fedBy.some((source) => readsPersonal(source, facts, false))
    );
  }
  if (!COPIES.test(name)) return false;
  const copies = /^(?:scp|pscp|rsync)$/.test(name);
  const { sources, target = '' } = splitCopy({ name, args });
  if (copies && !/^(?:[\w.-]+@)?[\w.-]+:|^rsync:/.test(target)) return false;
  const files = copies ? sources : name === 'ssh' ? given : [...args.filter((arg) => /^[~/]/.test(arg)), ...given];
  return (
    files.some((file) => isPersonal(file, directory, facts, true)) ||
    fedBy.some((source) => readsPersonal(source, facts, true))
  );
}

/** Documents of the user that leave this machine. */
export const PERSONAL_FILE_RULES: readonly CommandRule[] = [
  { rule: SEND, aboutInput: true, when: sendsPersonal },
  {
    rule: SEND,
    when: ({ code, directory }, facts) =>
      code?.sendsFiles.some((path) => /^[~/]/.test(path) && isPersonal(path, directory, facts, false)) === true,
  },
];
