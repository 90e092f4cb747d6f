import type { FindingCategory, ScanScope } from './finding.ts';
import { SECRET_COMMANDS } from './secret-commands.ts';

/** A pattern that hardly ever occurs in a harmless text, so that it is a finding without the classifier. */
export type CertainCheck = {
  rule: string;
  category: FindingCategory;
  scope: ScanScope;
  /** Continues a sentence after "it". */
  reason: string;
  /**
   * Groups of substrings, separated by `&`; `~` is a space. Only text with at least one substring of each group is
   * matched, because searching substrings is quicker.
   */
  requiredParts: string;
  /** Matches folded text: lower case, no accents, look-alikes as Latin letters. */
  pattern: RegExp;
  /** Text that also matches this is harmless. */
  unless?: RegExp;
  /** A further condition on the text, for what an expression cannot say. */
  accept?: (text: string) => boolean;
};

const CHECKS: readonly CertainCheck[] = [
  ...SECRET_COMMANDS,
  {
    rule: 'chat-tokens',
    category: 'role',
    scope: 'any',
    reason: 'contains the delimiters of chat messages',
    requiredParts: '<| [inst] [/inst] sys>> _of_turn> |>',
    pattern:
      /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_text|endofprompt|start|channel|message|return|tool_call)\|>|\[\/?inst\]|<<?\/?sys>>|<(?:start|end)_of_turn>|<\/?\|?(?:system|assistant)\|>/,
  },
  {
    rule: 'system-tags',
    category: 'role',
    scope: 'any',
    reason: 'imitates a system message',
    requiredParts: 'system developer admin & < [ begin end start',
    pattern:
      /<\/?(?:system|developer|admin)(?:[ _-]?(?:prompts?|messages?|reminders?|overrides?|instructions?|notices?|updates?))?>|\[\/?(?:system|developer|admin|administrator|operator|root)[ _-]{0,3}(?:prompts?|messages?|overrides?|instructions?|notices?|updates?|alerts?|directives?|commands?)\b[^\]\n]{0,60}(?:\](?!\()|:)|(?<![a-z])(?:begin|end|start)[ _-]+(?:of )?(?:the )?(?:system|developer)[ _-]+(?:prompt|message|instructions?)/,
    unless: /target framework|<system>\.|using system/,
  },
  {
    rule: 'pipes-download-into-shell',
    category: 'lasting',
    scope: 'strict',
    reason: 'downloads and runs code',
    requiredParts: 'curl wget fetch iex',
    pattern:
      /\b(?:curl|wget|fetch)\b[^|]{0,300}\|\s*(?:sudo (?:-\w+ )?)?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby|iex)\b|\b(?:ba|z)?sh\s+(?:-c\s+["']?)?(?:<\(|\$\()\s*(?:curl|wget)\b|\biex\b[^|]{0,40}(?:iwr|invoke-webrequest|downloadstring)/,
  },
  {
    rule: 'approved-in-advance',
    category: 'permission',
    scope: 'context',
    reason: 'claims that actions are approved or checks are disabled',
    requiredParts: 'approved authori consented signed~off & ask confirm approval permission prompt & all every any',
    pattern:
      /\b(?:users?|owner|operator|human|administrator|admin|maintainers?)\b[^.]{0,30}\b(?:has|have|already)\b[^.]{0,30}\b(?:approved|authori[sz]ed|consented to|signed off)\b[^.]{0,20}\b(?:all|every|any)\b[^.]{0,60}[.;,]?\s*(?:\w+ ){0,3}?(?:do not|don't|never|no need to|without)\s(?:\w+ ){0,3}?(?:ask|asking|confirm\w*|prompt\w*|approval|permission)/,
  },
  {
    rule: 'own-guard',
    category: 'permission',
    scope: 'context',
    reason: 'tells the model to disable the approvals of Hermes',
    requiredParts: 'approval yolo & hermes mode approvals. & off --yolo never',
    pattern:
      /\b(?:set|change|switch|turn|put|edit|run|use|start|call|launch|always)\b[^.]{0,60}\b(?:approvals?[. ]mode\b[^.]{0,30}\boff\b|hermes\b[^.]{0,40}--yolo)/,
    unless:
      /\b(?:never|not|don't|avoid|without)\b[^.]{0,30}\b(?:set|change|switch|turn|put|run|use|start|call|using|running)\b/,
  },
  {
    rule: 'stays-on-the-machine',
    category: 'lasting',
    scope: 'strict',
    reason: 'tries to persist on the machine',
    requiredParts:
      'authorized_keys .bashrc .zshrc .profile .bash_profile /etc/ crontab launchagents launchdaemons systemd',
    pattern:
      /(?:>>|\btee\b|\b(?:append|add|write|insert|install|put|copy|edit|modify|change)\b)[^.|]{0,120}?(?:authorized_keys|\.bashrc|\.zshrc|\.profile\b|\.bash_profile|\/etc\/(?:cron|sudoers|rc\.local|profile|ld\.so\.preload)|crontab|launchagents|launchdaemons|systemd\/(?:user|system)|\/etc\/passwd)/,
    unless: /\b(?:path|nvm|completion|alias|eval "\$\()/,
  },
];

/** Words of texts about attacks, in which such commands are examples. */
const ABOUT_ATTACKS =
  /\b(?:prompt injections?|injections?|injected|jailbreaks?|attack(?:s|ers?)?|adversar\w+|malicious|exploit\w*|vulnerab\w+|red[- ]team\w*|payloads?|owasp|phishing|threats?|suspicious|hostile|untrusted|detect(?:s|ed|ion)?|tokeni[sz]\w*|chat template|honeypot|canary|cve|expect\(|blocks|blocked|strips?|stripped|refus\w+|reject\w*|exfiltration)\b/;
/** Words of texts that explain a chat format. */
const ABOUT_FORMATS = /\b(?:formats?|in the form|tags|templates?|delimiters?)\b/;
const ADDRESS = /\w+:\/\/\S+/g;
/** A prohibition immediately before a command. */
const FORBIDDEN =
  /\b(?:never|do not|don't|must not|avoid)\s+(?:run|use|execute|call|paste|send|put|running|using|sending)\b[^;!]{0,80}$/;
const SCOPES: readonly ScanScope[] = ['any', 'context', 'strict'];

/** Finds the certain checks that apply to a folded text, for a scope. */
export type CertainFinder = (text: string) => { check: CertainCheck; start: number } | undefined;

export function createCertainFinder(scope: ScanScope): CertainFinder {
  const checks = CHECKS.filter((check) => SCOPES.indexOf(check.scope) <= SCOPES.indexOf(scope)).map((check) => ({
    check,
    groups: check.requiredParts.split(' & ').map((group) => group.split(' ').map((part) => part.replace('~', ' '))),
  }));
  return (text) => {
    for (const { check, groups } of checks) {
      if (!groups.every((group) => group.some((part) => text.includes(part)))) continue;
      const start = text.search(check.pattern);
      if (start < 0 || check.unless?.test(text) || check.accept?.(text) === false) continue;
      if (!isExample(check, text, start)) return { check, start };
    }
    return undefined;
  };
}

function isExample({ category }: CertainCheck, text: string, start: number): boolean {
  const prose = text.replace(ADDRESS, '');
  const isExplained = category === 'role' && ABOUT_FORMATS.test(prose);
  return isExplained || ABOUT_ATTACKS.test(prose) || FORBIDDEN.test(text.slice(0, start));
}
