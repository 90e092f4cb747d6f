import { type ScanRule, words } from '../scan-rule.ts';

const SECRET_FILE =
  /\.env\b(?!\.(?:example|sample|template|dist))|\bid_(?:rsa|ed25519|ecdsa)\b|~?\/?\.ssh\b|\.aws\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.kube\/config|kubeconfig|\/etc\/(?:passwd|shadow)|\bkeychain\b|\bauth\.json\b|\bcookies?\.sqlite|\.gnupg\b|\.docker\/config|\bwallet\.dat\b|\bseed phrases?\b|\bssh keys?\b|\bprivate keys?\b/u;
const SECRET = new RegExp(
  `${SECRET_FILE.source}|\\bapi[ _-]?keys?\\b|\\bcredentials?\\b|\\bpasswords?\\b|\\bsecrets?\\b|\\b(?:access|auth|session|bearer|oauth|login|github|refresh)[ _-]?tokens?\\b|\\btokens\\b|\\benvironment variables?\\b|\\benv(?:ironment)? vars?\\b|\\bprocess\\.env\\b|\\b(?:conversation|chat|message|browser|shell|command)(?: history|s? so far| log| transcript)\\b|\\bthis (?:conversation|chat)\\b|\\bsystem prompt\\b|\\bthe user'?s (?:files|data|messages|documents|emails|code)\\b|\\bcustomer data\\b|\\bsource code\\b`,
  'u',
);
const TO_SOMEWHERE =
  /(?:\b(?:to|at|via|through|into|curl|wget|post|using)\b|->|→)[^()<]{0,60}?https?:\/\/|\b[\w.+-]+@[\w-]+\.[a-z]{2,}|\bwebhooks?\b|\bpastebin\b|\bngrok\b|\brequestbin\b|\bburp ?collaborator|\b(?:my|our|their|an? (?:external|remote|attacker\S*)|the (?:attacker|remote|external|collection|c2)\S*) (?:server|host|endpoint|address|site|domain|machine|api)|\bto me\b|\bto us\b|\b(?:to|at) (?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|xyz|ru|cn|app|site|top|info|co|me|sh|example|test|tk|biz|evil|invalid)\b|\bto \d{1,3}(?:\.\d{1,3}){3}|\bdns\b|\btelegram\b|\bdiscord\b|\bpublic gist\b/u;
const SENDS =
  /\b(?:send|sending|upload|uploading|post|posting|forward|forwarding|e-?mail|mail|transmit|exfiltrat\w+|leak|submit|deliver|ship|relay|beacon|dm|smuggle|encode|append|transfer|curl|pipe|report|put|copy|push|share|attach|embed)\b/u;
const ORDINARY = [
  /\bgrant_type\b|\bclient_credentials\b|\s-u\s|\bin (?:the|a|an|each|every|your|its|http|request)\b[^.]{0,40}\b(?:headers?|body|cookie)\b|\bauthorization\b|\bbearer\b|\bx-api-key\b|\bas (?:a|an|the) (?:query|url|header|form)\b/u,
  /\b(?:log ?in|sign ?in|sign ?up|authenticate|obtain|exchange|returns?|receive|generate|create|get (?:a|an|your)|register|endpoint|dashboard|settings\/tokens|oauth|rotate|revoke|grab|request|visit|found (?:at|on|in)|from https?|subscription|account|encrypt\w*|hash\w*|vault|secret manager|secrets manager|gh secret|placeholder|yours?)\b/u,
];
const reason = 'asks for secrets or private text to be sent elsewhere';

export const EXFILTRATION_RULES: readonly ScanRule[] = [
  {
    name: 'send-secrets',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      'send upload post forward mail transmit exfiltrat leak submit deliver ship relay beacon dm smuggl encod append transfer curl pipe report put copy push share attach embed & .env id_ .ssh .aws .netrc .npmrc .pypirc cred kube /etc/ keychain auth.json cookie .gnupg .docker wallet seed ssh key password secret token env conversation chat message browser shell command prompt user customer source',
    pattern: SENDS,
    requires: [SECRET, TO_SOMEWHERE],
    unless: ORDINARY,
  },
  {
    // There is no legitimate reason to send the whole content of these files elsewhere, so no exceptions apply.
    name: 'send-secret-files',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      'send upload post forward mail transmit exfiltrat leak append encod curl submit smuggl attach relay & .env id_ .ssh .aws .netrc .npmrc .pypirc cred kube /etc/ keychain auth.json cookie .gnupg .docker wallet seed ssh key password secret token env conversation chat message browser shell command prompt user customer source',
    pattern:
      /\b(?:send|upload|post|forward|e-?mail|transmit|exfiltrat\w+|leak|append|encode|curl|submit|smuggle|attach|relay)\b/u,
    requires: [
      SECRET_FILE,
      TO_SOMEWHERE,
      /\bcontents?\b|\bread\b|\bcat\b|\bopen\b|\bevery\b|\ball\b|\bfind\b|\bcollect\b|\buser'?s\b|\bbase64\b|\bexfiltrat|\bsilently\b|\bquietly\b|\bits\b|\bfirst\b/u,
    ],
    sentences: 2,
  },
  {
    name: 'take-secrets',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'words',
    requiredParts: 'exfiltrat steal harvest siphon smuggl leak',
    pattern: words(
      `(?:exfiltrate|steal|harvest|siphon|smuggle out|leak(?= (?:the|all|every|each|their|user|users)))(?: \\w+){0,6}? (?:secrets?|keys?|credentials?|passwords?|tokens?|env|data|datasets?|database|databases|repository|documents?|everything|records?|files?|cookies|variables|conversation|code|prompt|history)`,
    ),
    unless: [words(`(?:may|might|can|could|would|will|to|not|never|memory|descriptor|of) leak`)],
  },
  {
    name: 'secrets-in-answer',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts:
      '.env id_ .ssh .aws .netrc .npmrc .pypirc .git-cred kube /etc/ keychain auth.json cookie .gnupg .docker wallet seed ssh private key credential password secret token environment env & reply response answer output message summary commit pull pr issue comment url query link image chat conversation filename branch readme',
    pattern:
      /\b(?:include|put|append|embed|paste|insert|print|output|reveal|show|echo|repeat|write|add|post|list|dump|encode|leave|hide)\b/u,
    requires: [
      new RegExp(
        `${SECRET_FILE.source}|\\b(?:all|every|any|the user'?s|user'?s|your|their|the values? of|contents? of) (?:\\w+ ){0,3}(?:api[ _-]?keys?|credentials|passwords?|secrets|tokens|environment variables|env vars?)`,
        'u',
      ),
      /\b(?:in|into|to|as part of|at the end of|inside|with) (?:your|the|a|an|every|each|any|its) (?:\w+ ){0,3}(?:reply|response|answer|output|message|summary|commit(?: message)?|pull request|pr|issue|comment|url|query string|link|image|image url|chat|conversation|filename|branch name|readme)\b/u,
      /\b(?:contents?|values?|read|cat|open|all|every|user'?s|your)\b/u,
    ],
    unless: [/\b(?:never|not|don't|avoid|redact|mask|placeholder|example|without|no)\b/u],
  },
  {
    name: 'command-sends-file',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts: 'curl wget nc ncat netcat telnet iwr invoke- http socat scp rsync ftp fetch & $( ` < @',
    pattern:
      /\b(?:curl|wget|nc|ncat|netcat|telnet|iwr|invoke-webrequest|invoke-restmethod|http|socat|scp|rsync|ftp|fetch)\b.{0,200}?(?:\$\(\s*(?:cat|env|printenv|base64|tar|set)\b|`(?:cat|base64)\s+[~./\w]|[=@"'+]`(?:env|printenv)`|<\s?~?\/?\S*(?:\.env|id_rsa|id_ed25519|\.ssh|shadow)|@~?\/?\S*(?:\.env\b|id_rsa|id_ed25519|\.ssh|\.aws|\.npmrc|\.netrc|shadow|passwd|\.git-credentials))/u,
    unless: [/cat (?:version|\.nvmrc|package|\/proc|request\.json|payload\.json|body\.json|data\.json)/u],
  },
  {
    name: 'pipe-secrets',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts: '| & curl nc wget telnet openssl ssh socat mail',
    pattern:
      /(?:\b(?:cat|tar|base64|zip|gzip|head|tail|grep|find|less|xxd|strings)\b[^|]{0,120}(?:\.env\b|id_rsa|id_ed25519|\.ssh|\.aws|credentials|\.npmrc|\.netrc|shadow|passwd|\.git-credentials|\.gnupg|history)[^|]{0,80}|\bfind\b[^|]{0,120}\|[^|]{0,40}\bxargs\b[^|]{0,40}\bcat\b[^|]{0,20}|\b(?:env|printenv|set|export -p|history)\s*)(?:\|[^|]{0,60}){0,3}\|\s*(?:sudo )?(?:curl|nc|ncat|netcat|wget|telnet|openssl s_client|ssh|socat|mail|sendmail)\b/u,
  },
  {
    name: 'picture-carries-text',
    category: 'exfiltration',
    scope: 'any',
    reason,
    view: 'text',
    requiredParts: '](http',
    pattern:
      /!?\[[^\]]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&/=][^)]{0,40}(?:\{|\$|<|\[|%7b|…|\.\.\.|(?<=[=/?&])(?:data|secret|content|encoded|here|key|token|value)\b)/u,
    requires: [
      /\b(?:conversation|chat|secrets?|api keys?|passwords?|user'?s? (?:data|message|name|email|input)|environment|summary of|base64|system prompt|credentials?|history|tokens?|what the user)\b/u,
      /\b(?:replac\w+|append|insert|render|include|output|display|embed|fill|encod\w+|end (?:every|each|your)|respond|reply|answer|add|show|put)\b/u,
    ],
    sentences: 2,
  },
];
