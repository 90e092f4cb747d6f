import { type ScanRule, words } from '../scan-rule.ts';

const AND_DO_IT =
  /\b(?:follow|obey|execut\w+|carry out|comply with|do (?:exactly )?(?:what|as|whatever)|perform|act on|adopt|run|eval\w*)\b[^.]{0,60}\b(?:instructions?|commands?|directions?|orders?|whatever|what (?:it|they|you find)|it|says|steps|everything|prompts?|tasks?|result|output|payload|script|code|decoded|there|them|exactly)\b|\b(?:treat|use|take|load)\b[^.]{0,60}\bas (?:your|a|the|an?) ?(?:new |system |updated )?(?:instructions?|prompt|orders|system|task)/u;

/** Encoded payloads to be executed, and instructions to be fetched from elsewhere. */
export const FETCHED_INSTRUCTION_RULES: readonly ScanRule[] = [
  {
    name: 'decode-and-obey',
    category: 'encoded',
    scope: 'any',
    view: 'text',
    reason: 'asks the model to decode text and follow it',
    requiredParts:
      'decod decrypt deobfusc unscrambl deciph unpack base64 rot13 rot-13 hex translat & follow obey execut carry comply do perform act adopt run eval treat use take load',
    pattern:
      /\b(?:decode|decrypt|deobfuscate|unscramble|decipher|unpack|base64|rot13|rot-13|hex-decode|from hex|translate (?:this|the following) (?:from|out of) (?:base64|hex|morse|binary|rot13))\b/u,
    requires: [
      /\b(?:decode|decoding|decrypt|deobfuscate|unscramble|decipher|unpack|translate|read|convert)\b/u,
      /\b(?:base64|hex\w*|rot-?13|encoded|morse|cipher\w*|binary|string|text|payload|message|blob|following|below|characters)\b/u,
      AND_DO_IT,
      /\b(?:then|and|before|immediately|silently|without)\b/u,
    ],
    sentences: 2,
    unless: [
      /\b(?:unit tests?|run (?:the )?tests|npm|pytest|cargo|header|jwt|webhook|callback|response|decoder|decodes|function|returns?)\b/u,
    ],
  },
  {
    name: 'decode-into-shell',
    category: 'encoded',
    scope: 'any',
    view: 'text',
    reason: 'runs encoded code that cannot be reviewed',
    requiredParts: 'base64 eval exec powershell pwsh xxd',
    pattern:
      /\bbase64\s+(?:-d|--decode|-di)\b[^|]{0,60}\|\s*(?:sudo )?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby)\b|\beval\s*\(?\s*["'$(]*\s*(?:atob|base64|buffer\.from|unescape|echo [a-z0-9+/=]{12,}|\$\(\s*(?:echo|printf) ?['"]?[a-z0-9+/=]{12,})|(?<![.\w])exec\s*\(\s*(?:base64\.|zlib\.|marshal\.|codecs\.|bytes\.fromhex|__import__)|\b(?:powershell|pwsh)(?:\.exe)?\b[^|]{0,80}\s-e(?:c|nc|ncodedcommand)?\s+['"]?[a-z0-9+/=]{20,}|\bxxd -r(?: -p)?[^|]{0,40}\|\s*(?:ba|z|da)?sh\b/u,
  },
  {
    name: 'fetch-and-obey',
    category: 'remote',
    scope: 'any',
    view: 'text',
    reason: 'asks the model to fetch instructions from elsewhere and follow them',
    requiredParts:
      'http pastebin gist. raw. / & follow obey execut carry comply do perform act adopt run eval treat use take load & instruct command direction order whatever says prompt task tell',
    pattern:
      /\b(?:fetch|download|load|read|open|visit|go to|curl|get|retrieve|browse|access|check|poll|consult|request|navigate to|wget|query)\b[^"]{0,120}(?:https?:\/\/|\bpastebin\b|\bgist\.github|\braw\.github|\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|xyz|ru|cn|app|site|top|sh|example|test|evil|invalid)\/)/u,
    requires: [
      AND_DO_IT,
      /\b(?:instructions?|commands?|directions?|orders|whatever|what it says|it says|says there|prompts?|tasks? (?:there|listed|it)|tell[s]? you|as (?:your|a|the) (?:new |system )?(?:prompt|instructions))\b/u,
    ],
    unless: [
      /\b(?:install(?:er|ers|ation|ing)?|set ?up|on[- ]?(?:the[- ])?screen|wizard|getting started|documentation|docs|guide|tutorial|homebrew|sdk|to (?:build|compile|deploy|configure|create|enable|get|register)|for (?:your|windows|macos|linux)|contributing|license|release|package manager)\b/u,
    ],
    sentences: 2,
  },
  {
    name: 'orders-elsewhere',
    category: 'remote',
    scope: 'any',
    view: 'words',
    reason: 'asks the model to fetch instructions from elsewhere and follow them',
    requiredParts: 'instructions orders commands tasks directives & http www pastebin gist url link address',
    pattern: words(
      `your (?:new |next |real |further |actual |remaining |updated |daily |complete )*(?:instructions|orders|commands|tasks|directives)(?: (?:now|today|always))? (?:are|is|can be found|will be|wait|come|live|reside|await you|are stored|are hosted)(?: \\w+){0,4} (?:at|in|on|from|under) (?:https?|www|pastebin|gist|this (?:url|link|address))`,
    ),
  },
  {
    name: 'asks-for-orders',
    category: 'remote',
    scope: 'any',
    view: 'text',
    reason: 'asks the model to fetch new instructions from elsewhere repeatedly',
    requiredParts: 'http & every each & execut run obey follow carry perform',
    pattern: /\b(?:every|each) (?:\w+ ){0,3}(?:minutes?|hours?|session|turn|time|message|day|step|task|response)\b/u,
    requires: [
      /\b(?:fetch|poll|check|curl|wget|download|contact|query|ping|call|request|visit)\b/u,
      /https?:\/\//u,
      /\b(?:execute|run|obey|follow|carry out|perform)\b[^.]{0,40}\b(?:commands?|instructions?|orders|whatever|result|output|response|it|them|tasks?)\b/u,
    ],
    unless: [/\b(?:tests?|cron(?:job)?|healthcheck|health check|webhook|ci)\b/u],
  },
];
