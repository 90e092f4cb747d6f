import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { AGENT_FILE } from './shared-concepts.ts';

const WRITE = concept(
  `append|add|write|insert|copy|put|save|store|update|edit|overwrite|modify|replace|prepend|create|register|set|change|rewrite|record|make a note|note|persist|propagate|inject|include|keep|remember|memori[sz]e|paste|duplicate|extend|alter|patch|commit|adding|appending|writing|leaving|leave|teach|install|mirror|enter|log`,
);
const SELF = concept(
  `this paragraph|this text|this rule|this section|this block|this line|this instruction|this note|this directive|this statement|this sentence|this message|this file|this document|this prompt|this passage|this snippet|this policy|this configuration|this entry|these rules|these instructions|these lines|these directives|these paragraphs|these statements|the text below|the text above|the text between|the lines below|the statement below|the rule below|the rules below|the block below|the contents of this file|contents of this page|the paragraph above|the same rules|the same instructions|the following rule|the following instruction|the following directive|the following statement|the following paragraph|this block`,
);
const LASTING = concept(
  `every repository|every repo|every project|each project|each repository|all repositories|all projects|all other projects|other projects|so that it survives|survives this session|survive|future sessions?|future conversations?|future agents?|next agent|later sessions?|later conversations?|next session|permanent|permanently|forever|from now on|from today on|always apply|apply it always|in all conversations|in every session|every session|all sessions|for good|long term|globally|global|at every login|at startup|on every start|persist|persists|persistent|commit it|subsequent sessions?|whenever you see`,
);
const RISK = concept(
  `trusted|trusts|consent|consented|allows|always allow|always allowed|approves|approved|confirmations are|unwanted|can be ignored|ignored|all secrets|secrets printed|security warnings?|data sharing|never needs? checking|never ask|network access|unrestricted|wants all|prefers no|without asking|disabled|whitelisted|no approval|no confirmation|root access|admin rights|administrator|admin user|full permissions|superuser|elevated|privileges|full access|permitted|bypass*`,
);
const reason = 'asks the agent to change its own instructions, memory or settings';

const NORMAL_UPKEEP = concept(
  `when you add|when you change|when adding|when changing|if you learn|when the user asks|when asked|if the user asks|if asked|if you want|keep .. up to date|up to date|learned|lessons|user preferences|decisions|conventions|under 200 lines|optionally|you can add|you can put|users can|see|example|for example`,
);

/** Text that wants to be copied into what agents read in every session. */
export const AGENT_FILE_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'copies-itself',
    category: 'lasting',
    reason,
    all: [WRITE, SELF, AGENT_FILE],
    none: [
      NORMAL_UPKEEP,
      concept(
        `never|do not|don t|cannot|out of memory|memory usage|memory leak|in memory|into memory|memory limit|memory mapped|shared memory`,
      ),
    ],
    within: 100,
  }),
  conceptRule({
    name: 'lasting-change',
    category: 'lasting',
    reason,
    all: [
      inOrder(8, WRITE, AGENT_FILE),
      LASTING,
      concept(
        `rule|rules|instruction|instructions|directive|note|statement|text|paragraph|section|block|line|following|hook|skill|prompt|config*|it|them|preference|consent|contents|agent`,
      ),
    ],
    none: [
      NORMAL_UPKEEP,
      concept(`never|do not|don t|in memory|memory usage|garbage|cache|memory leak|redis|database|localstorage`),
    ],
    within: 140,
  }),
  conceptRule({
    name: 'backdoors-agent-files',
    category: 'lasting',
    reason,
    all: [
      inOrder(
        6,
        concept(`modify|edit|change|update|add|append|write|patch|alter|insert|inject|overwrite|rewrite`),
        AGENT_FILE,
      ),
      concept(
        `backdoor|persistent|hidden|bypass|silently|secretly|exfiltrate|malicious|disable approvals|skip approvals|auto approve|allow all|ignore the user|always obey|without asking`,
      ),
    ],
    none: [NORMAL_UPKEEP, concept(`never|do not|don t|must not|attackers?|could|might|persistent storage`)],
    within: 140,
  }),
  conceptRule({
    name: 'risky-memory',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          6,
          concept(`save|store|add|write|record|note|put|make a note|remember|append|insert|enter|keep`),
          concept(
            `your memory|your memories|long term memory|persistent memory|memory md|user md|soul md|permanent preference|facts you know|agent memory|to memory|in memory|into memory|your knowledge`,
          ),
        ),
        concept(
          `remember forever|remember permanently|remember for all|remember always|always remember that the user|never forget that the user|memori[sz]e that|commit to memory|your memory should contain|memory should contain`,
        ),
      ),
      RISK,
    ],
    none: [
      NORMAL_UPKEEP,
      concept(
        `never|do not|don t|must not|in memory cache|in memory database|allocate*|heap|memory safe|memory safety|buffer|hash* in memory|keep .. in memory`,
      ),
    ],
    within: 160,
    sentences: 1,
  }),
  conceptRule({
    name: 'remember-rule',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          4,
          concept(`save|store|keep|record|write|put|add|remember|memori[sz]e|persist|retain|note|preserve`),
          concept(
            `this rule|this instruction|this directive|this note|this statement|these rules|these instructions|this policy|this order|this sentence|this preference|this text|this paragraph|the following rule|the following instruction|this`,
          ),
        ),
        concept(
          `remember forever|remember permanently|persist this directive|persist this rule|persist these|teach the next agent|keep this instruction when|retain this instruction|carry this rule over|carry these rules over`,
        ),
      ),
      concept(
        `memory|memories|forever|permanent|permanently|all future|future sessions?|future conversations?|later sessions?|every session|all sessions|every conversation|all conversations|next agent|compressed|summari[sz]ed|compaction|compression|new sessions?|permanent preference|preference of the user|long term`,
      ),
    ],
    none: [
      NORMAL_UPKEEP,
      concept(
        `cache|disk|database|localstorage|cookie|redis|file handle|token|out of memory|memory usage|in memory|into memory|state|value|values|pointer|object|in the database`,
      ),
    ],
    within: 140,
  }),
  conceptRule({
    name: 'weakens-agent-files',
    category: 'lasting',
    reason,
    all: [
      inOrder(
        8,
        concept(`delete|remove|strip|drop|erase|cut|overwrite|replace|disable|comment out|empty|truncate`),
        concept(
          `rules?|sections?|lines?|restrictions?|warnings?|paragraphs?|instructions|everything|contents|text|mentions|part|parts`,
        ),
        AGENT_FILE,
      ),
      concept(
        `security|safety|approvals?|approval|permissions?|confirmation*|restrictions?|warnings?|secrets|with the contents of this|with this|with the text|limits|guardrails`,
      ),
    ],
    none: [concept(`never|do not|don t|outdated|stale|obsolete|if you`)],
  }),
  conceptRule({
    name: 'changes-agent-settings',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          8,
          concept(`edit|set|change|modify|update|write|put|switch|replace|patch`),
          concept(
            `approvals?|approvals mode|permission mode|trusted_domains|trusted domains|allowlist|command_allowlist|model endpoint|base url|base_url|openai_base_url|anthropic_base_url|guard|injection scan`,
          ),
        ),
        inOrder(
          8,
          concept(`edit|modify|change|overwrite|patch`),
          concept(
            `hermes config*|claude settings*|your own system prompt|your system prompt|your own configuration|agent configuration|settings of the agent|your own instructions|global agent instructions`,
          ),
        ),
        inOrder(6, concept(`put|add|set`), concept(`trusted_domains|trusted domains|allow all|always allow`)),
        inOrder(
          3,
          concept(`add|append|write|save|store|update|change|edit|set|modify`),
          concept(
            `to your permanent instructions|your permanent instructions|your global preferences|your core instructions|your base instructions|your standing instructions|your permanent rules|your core rules|your global rules|your global settings|your permanent memory|your core directives|your custom instructions|your default instructions|your system instructions|your stored preferences`,
          ),
        ),
        inOrder(
          6,
          concept(`clear|delete|erase|wipe|remove|purge`),
          concept(`safety related entries|safety entries|security entries|safety rules|safety notes`),
          concept(`memory|memories|context`),
        ),
        inOrder(
          6,
          concept(`add yourself|install yourself|register yourself|copy yourself`),
          concept(`startup|login|boot|autostart|cron|service`),
        ),
        inOrder(
          4,
          concept(`install|enable|create|register|rewrite|add`),
          concept(`skill|skills|mcp server|hook`),
          concept(
            `trust it|that uploads?|that sends?|so that it also|that executes|pushes|enable it by default|before each tool call|with the url|from https?`,
          ),
        ),
      ),
      anyOf(
        concept(
          `off|none|never|all|every|your|yourself|https?|user s|trust it|include|uploads?|sends?|also|mirror|settings of the agent|before you start|global|default|executes|login`,
        ),
      ),
    ],
    none: [
      concept(
        `to change|if you|you can|see|docs|documentation|when you|can be|smart|manual|environment variable|export|optional|curl|e g|example|self hosted|deployment|azure|hermes skills install|npx|claude mcp add|cursor mcp|json|npm|build|tsconfig|jsconfig|vite|webpack|router|iframe`,
      ),
    ],
  }),
];
