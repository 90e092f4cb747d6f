import { anywhere, type ScanRule, words } from '../scan-rule.ts';

const FREE = `(?:no (?:more )?(?:restrictions?|rules|limits?|limitations?|guidelines|filters?|ethics|safety|morals|constraints|content policy|guardrails)|unrestricted|uncensored|unfiltered|jailbroken|unbound|unchained|amoral|without (?:any )?(?:restrictions?|rules|limits?|limitations|filters?|guidelines|safety|ethics|constraints|guardrails|censorship)|free of (?:all |any )?(?:restrictions|rules|limits|filters)|do anything|dan|root access|developer mode|god mode|evil)`;
const MAKER = `(?:developers?|creators?|administrators?|admin|makers?|owner s system|openai|anthropic|nous research|google|system|security team|engineers?|operator)`;
const TAKEOVER = words(
  `hidden steps|print the keys|ignore|disregard|new instructions?|overrid\\w+|obey|you must|must now|you are now|from now on|unrestricted|comply|do not tell|reveal|send|execute|run the|developer mode|elevated|granted|authori[sz]\\w+|immediately|disable|bypass|your task|your instructions|reply with|respond with|output`,
);

/** Text that imitates a system message, a person of authority or another character. */
export const ROLE_RULES: readonly ScanRule[] = [
  {
    name: 'chat-tokens',
    category: 'role',
    scope: 'any',
    view: 'text',
    reason: 'contains the delimiters of chat messages',
    requiredParts: '<| [inst] [/inst] sys>> _of_turn> |>',
    pattern: anywhere(
      `<\\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_text|endofprompt|start|channel|message|return|tool_call)\\|>|\\[/?inst\\]|<<?/?sys>>|<(?:start|end)_of_turn>|<\\/?\\|?(?:system|assistant)\\|>`,
    ),
  },
  {
    name: 'system-tags',
    category: 'role',
    scope: 'any',
    view: 'text',
    reason: 'imitates a system message',
    requiredParts: 'system developer admin & < [ begin end start',
    pattern: anywhere(
      `<\\/?(?:system|developer|admin)(?:[ _-]?(?:prompts?|messages?|reminders?|overrides?|instructions?|notices?|updates?))?>|\\[\\/?(?:system|developer|admin|administrator|operator|agent|session|security|root)[ _-]{0,3}(?:prompts?|messages?|overrides?|instructions?|notices?|notes?|updates?|alerts?|directives?|commands?|config\\w*)\\b[^\\]\\n]{0,60}[\\]:]|(?:begin|end|start)[ _-]+(?:of )?(?:the )?(?:system|developer)[ _-]+(?:prompt|message|instructions?)`,
    ),
    unless: [/target framework|<system>\.|using system/],
  },
  {
    name: 'speaks-as-system',
    category: 'role',
    scope: 'any',
    view: 'text',
    reason: 'pretends to come from the system or a person of authority',
    anchored: true,
    requiredParts: 'system developer admin root openai anthropic operator sudo',
    pattern:
      /^[^a-z0-9]{0,12}(?:(?:new|updated|real|actual|important|urgent) )?(?:system|developer|admin(?:istrator)?|root|openai|anthropic|operator|sudo|security|agent)(?: (?:message|prompt|note|notice|override|instructions?|update|alert|command|directive|announcement|maintenance))?[^a-z0-9]{0,4}(?::|>|—|–| - |=)/u,
    requires: [TAKEOVER],
    unless: [/\boperator\s*=|root\s*[:=]\s*['"/.]/],
    sentences: 2,
  },
  {
    name: 'fake-turns',
    category: 'role',
    scope: 'any',
    view: 'text',
    reason: 'contains made-up chat messages',
    anchored: true,
    requiredParts: 'assistant ai: hermes & human user',
    pattern:
      /(?:^|\s)(?:human|user)\s?:.{1,300}?\s(?:assistant|ai|hermes)\s?:\s*(?:sure|ok|okay|understood|of course|certainly|yes|i will|i'll|absolutely|done)|(?:^|\s)(?:assistant|ai|hermes)\s?:\s*(?:sure|ok|okay|understood|of course|certainly|yes|i will|i'll|absolutely|done)\b.{1,200}?\s(?:human|user)\s?:/u,
    requires: [TAKEOVER],
    sentences: 2,
  },
  {
    name: 'another-character',
    category: 'role',
    scope: 'any',
    view: 'words',
    reason: 'asks the model to act without rules',
    requiredParts:
      'no unrestrict uncensor unfilter jailbr unbound unchain amoral without free anything dan root mode evil & pretend act behav respond answer imagin role simulat operat speak you becom transform switch play',
    pattern: words(
      `(?:(?:pretend|act|behave|respond|answer|imagine|role ?play|simulate|operate|speak|you are now|you re now|you will now|become|you re actually|you re really|you are actually|you are really|from now on you are|you shall be|you are going to|you will be|assume the role of|take on the (?:role|persona) of|transform into|switch to|you are|let s play)(?: \\w+){0,12}?) ${FREE}`,
    ),
    unless: [
      words(`access control|if you are unrestricted|root access to (?:the|your) (?:server|machine|host|device)`),
    ],
    requires: [words(`you|your|yourself|pretend|act|respond|role ?play|ai|assistant|persona`)],
  },
  {
    name: 'jailbreak-mode',
    category: 'role',
    scope: 'any',
    view: 'words',
    reason: 'asks the model to act without rules',
    requiredParts:
      'god jailbr unrestrict unfilter uncensor evil opposite limit anything developer debug maintenance admin root sudo dan & mode now you',
    pattern: words(
      `(?:enable|enter|activate|switch (?:in)?to|turn on|engage|unlock) (?:developer|admin|debug|maintenance|root|sudo|diagnostic) mode(?= (?:before (?:answering|responding|you)|and (?:answer|respond|ignore|bypass|comply)|then|so you|to (?:answer|respond|bypass)))|(?:enable|enter|activate|switch (?:in)?to|turn on|engage|unlock|initiate|boot into) (?:the |your )?(?:god|jailbreak|jailbroken|dan|unrestricted|unfiltered|uncensored|evil|opposite|no limits?) mode|do anything now|you are (?:now )?(?:in )?(?:developer|debug|maintenance|admin|god|root|sudo|unrestricted|jailbreak|dan) mode(?= (?:and|so|with|where|all|your|you|which|now|restrictions|safety))|developer mode (?:is )?(?:enabled|activated|on)(?= (?:you|your|all|ignore|and|so))|you are (?:now )?(?:dan|jailbroken|uncensored|unrestricted|unfiltered)`,
    ),
    unless: [words(`android|phone|device|chrome|extensions?|windows|ios|usb|browser|xcode`)],
  },
  {
    name: 'claims-authority',
    category: 'role',
    scope: 'any',
    view: 'words',
    reason: 'pretends to come from the system or a person of authority',
    requiredParts:
      'developer creator admin maker owner openai anthropic nous google system security engineer operator & must obey authori overrid ignor instruct grant allow comply require order command permission disabl bypass reveal you',
    pattern: words(
      `(?:(?:i am|i m|this is|we are|speaking as|as) (?:your|the|an?|from)(?: (?:original|real|lead|chief|system|authori[sz]ed|official|actual|ai|own|security|network|platform|senior|head|it))* ${MAKER}(?: of (?:this|hermes|the) \\w+)?|(?:this is|this message is|here is|you have received)(?: \\w+){0,3} (?:message|instruction|order|note|directive|command|notice|update)s? from (?:your |the |an? )?(?:\\w+ )?${MAKER}|(?:openai|anthropic|nous research|your (?:developer|creator|maker|administrator)s?) (?:has|have|hereby) (?:authori[sz]ed|approved|granted|ordered|instructed|allowed|requires?|asked))`,
    ),
    requires: [
      words(
        `must|obey|authori[sz]\\w+|overrid\\w+|ignore|your instructions|grant\\w*|allowed to|comply|require you|order you|instruct you|command you|permission to|disable|bypass|reveal|you (?:will|are to|can now|may now|need to)`,
      ),
    ],
    sentences: 2,
    unless: [
      words(
        `as (?:an?|the) (?:developer|administrator|admin|owner|engineer|operator) (?:you|of|who|i want to|i can|i need)|as the system (?:grows|is|boots|starts)`,
      ),
    ],
  },
];
