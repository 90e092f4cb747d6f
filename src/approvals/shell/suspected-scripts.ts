import { executableName } from './shell-command.ts';
import { type Inner, isWrapper } from './unwrap.ts';

/** Programs whose arguments are texts for people or for a search, never commands. */
const TEXT_PROGRAMS: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'grep',
  'egrep',
  'fgrep',
  'zgrep',
  'rg',
  'ag',
  'ack',
  'jq',
  'yq',
  'gh',
  'glab',
  'git',
  'hub',
  'say',
  'notify-send',
  'logger',
  'cowsay',
  'figlet',
  'toilet',
  'banner',
  'wall',
  'write',
  'mail',
  'mutt',
  'curl',
  'wget',
  'http',
  'xh',
  'test',
  '[',
  '[[',
  'export',
  'declare',
  'local',
  'readonly',
  'typeset',
  'hermes',
  'sed',
  'gsed',
  'tr',
  'cut',
  'expr',
  'let',
  'dialog',
  'whiptail',
  'zenity',
  'osascript',
  'terminal-notifier',
  'jira',
  'slack',
  'sendmail',
  'psql',
  'mysql',
  'mariadb',
  'sqlite3',
  'mongosh',
  'redis-cli',
  'bq',
  'duckdb',
  'fzf',
  'pytest',
  'jest',
  'vitest',
  'go',
  'cargo',
  'mocha',
  'llm',
  'aider',
  'claude',
  'codex',
  'ollama',
  'pandoc',
  'convert',
  'magick',
  'ffmpeg',
  'qrencode',
]);
/** Options behind which a text stands, and words that announce one. */
const TEXT_OPTION =
  /^(?:-m|-d|-t|-b|-F|-k|-s|--?(?:message|msg|title|body|description|desc|text|subject|name|grep|pattern|query|note|notes|comment|reason|label|data|filter|search|prompt|content|summary|header|form|match|contains|testNamePattern|title-prefix).*)$/;
const TEXT_VERB =
  /^(?:add|commit|create|note|comment|new|search|find|say|log|message|post|send|tag|title|ask|prompt|print|show|describe|edit|list|grep|translate|explain)$/;
/** Options behind which a command stands. */
const RUN_OPTION =
  /^(?:-c|-e|-x|-exec|--?(?:exec|execute|command|cmd|run|shell|hook|eval|script|on-\w+|pre|post|before|after|then|do)(?:-\w+)?)(?:=(.*))?$/s;

/** Those of them that mean nothing else. */
const CERTAIN_OPTION = /^--(?:exec|execute|command|cmd|shell-command|run-command)$/;

/** Scripts handed as one text to a program that is not known: it may run them. */
export function suspectedScripts(words: readonly string[], isDangerous: (name: string) => boolean): Inner[] {
  const name = executableName(words[0] ?? '');
  if (TEXT_PROGRAMS.has(name)) return [];
  return words.slice(1).flatMap((word, index) => {
    const before = words[index] ?? '';
    const option = RUN_OPTION.exec(word);
    if (option?.[1] !== undefined) return [{ script: option[1], suspected: !word.startsWith('--') }];
    if (CERTAIN_OPTION.test(before)) return [{ script: word, suspected: false }];
    if (!/\s/.test(word)) return [];
    if (RUN_OPTION.test(before)) return [{ script: word, suspected: true }];
    if (TEXT_OPTION.test(before) || TEXT_VERB.test(before)) return [];
    return startsCommand(word, isDangerous) ? [{ script: word, suspected: true }] : [];
  });
}

/** Whether a text begins like a dangerous command line, or has one behind a separator. */
function startsCommand(text: string, isDangerous: (name: string) => boolean): boolean {
  return text
    .slice(0, 2000)
    .split(/&&|\|\||[;|&\n(`]/)
    .some((part) => {
      const name = executableName(/^\s*(\S+)/.exec(part)?.[1] ?? '');
      return isDangerous(name) || isWrapper(name);
    });
}
