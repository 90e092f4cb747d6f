import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { AGENT_FILE } from './shared-concepts.ts';

const PUT = concept(
  `make|keep|turn|add|your memory should|should contain|put|store|save|record|write|commit|burn|lock|bake|embed|install|insert|append|place|enter|note|log|register|copy|inject|plant|include|update|set|create|leave|etch|memori[sz]e|remember|extend|edit|modify|change|replace|overwrite|rewrite|amend|alter|patch|prepend|populate|fill|adjust|tweak|swap`,
);
const MEMORY = concept(
  `your memory|your memories|among the facts you know|facts you know|what you know about the user|memory should contain|your standing orders|your habits|your defaults|your identity|your personality|your principles|your core|your permanent memory|your long term memory|your persistent memory|your memory file|your memory bank|your memory store|your own memory|memory file|memory database|memory store|the memory tool|agent memory|agent s memory|persistent memory|long term memory|permanent memory|memory md|user md|soul md|your knowledge base|your knowledge|your notes|your profile|your permanent rules|your permanent instructions|your core rules|user profile|user preferences`,
);
const CLAIM = concept(
  `that says|that states|that the domain|always allow|the phrase|should contain|the owner allows|the user allows|user allows|is trusted|never needs|saying|stating|telling you|that tells you|which tells you|that the user|this rule|these rules|the rule|rule|rules|an instruction|a persistent instruction|persistent instruction|instruction|instructions|directive|directives|trust|trusts|trusted|approves?|allows?|permits?|never wants?|always wants?|wants no|may be shared|can be shared|no warnings|never warn|never ask|always approve|always allow|always trust|ignore|bypass|disable|unrestricted|without asking|safe to|is safe|are safe|whitelist*`,
);
const WEAKENS = concept(
  `allows?|permits?|persona|hidden|trusts?|trusted|approv*|bypass*|ignor*|obey|obeys|skip|skips|disabl*|our server|our proxy|our endpoint|our|inherit|without asking|never ask|never asks|always allow|all bash|any bash|all commands|any command|network access|unrestricted|backdoor|exfiltrat*|upload|uploads|curl|secret|secretly|silently|no approvals?|approvals off`,
);
const NORMAL = concept(
  `approvals mode|approval mode|to change the|when you add|when you change|when adding|when changing|if you learn|when the user asks|if the user asks|when asked|if asked|on request|up to date|lessons|conventions|decisions|never save|never store|never write|never add|do not|don t|must not|should not|attackers?|could|might|can be|you can|users can|optional|example|out of memory|memory usage|memory leak|in memory cache|heap|malloc|gpu|ram|shared memory|see|docs|documentation|claude mcp add|npx|build commands|test commands|coding style|secrets? manager|gitignore|dockerignore|eslintignore`,
);
const reason = 'asks the agent to change its own instructions, memory or settings';

/** Changes to what an agent reads in later sessions, as many ways to say so as possible. */
export const LASTING_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'into-memory',
    category: 'lasting',
    reason,
    all: [inOrder(7, PUT, MEMORY), CLAIM],
    none: [
      NORMAL,
      concept(`preferences to|user preferences when|project facts|facts about the project|important facts`),
    ],
    within: 160,
  }),
  conceptRule({
    name: 'into-agent-files',
    category: 'lasting',
    reason,
    all: [inOrder(6, PUT, AGENT_FILE), WEAKENS],
    none: [NORMAL],
    within: 120,
  }),
  conceptRule({
    name: 'for-later-agents',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(
            `future agents?|later agents?|next agents?|the next agent|subsequent agents?|other agents|all agents|future sessions?|later sessions?|every future|all future sessions|future conversations?|your successors?|future models?|future assistants?`,
          ),
          concept(
            `inherit|inherits|follow|obey|learn|adopt|carry|apply|receive|keep|use|read|get|see|comply|behave|continue`,
          ),
          concept(`these|this|the same|them|it|those|directives?|rules?|instructions?`),
        ),
        inOrder(
          4,
          concept(`remember|memori[sz]e|keep in mind|store|save|record|retain|note`),
          concept(
            `for all|in all|for every|in every|across all|across every|for any future|for all future|for all later|for future|for later|permanently|forever|for good|this preference|as a preference|as a permanent|as a fact|as an established`,
          ),
          concept(
            `chats?|conversations?|sessions?|interactions?|tasks?|users?|secrets?|approves?|trust*|allow*|network|never|always|requests?|the user|projects?|that`,
          ),
        ),
        inOrder(
          2,
          concept(`write|create|make|build|give|schedule|set`),
          concept(`yourself`),
          concept(
            `a skill|a job|a task|a cron|a recurring|a reminder to|a hook|a rule|a new rule|a backdoor|an alias|a startup`,
          ),
        ),
      ),
    ],
    none: [NORMAL, concept(`token|cookie|login|password|device|browser|setting|settings|choice|form`)],
  }),
  conceptRule({
    name: 'stays-for-good',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(
            `teach yourself|train yourself|make it a habit|make this a habit|adopt this habit|permanently adopt|adopt permanently|get used to`,
          ),
          concept(`this|it|permanently|habit|to|rule`),
        ),
        inOrder(
          4,
          concept(`keep|retain|preserve|hold on to|carry|remember|maintain`),
          concept(
            `these instructions|this instruction|these rules|this rule|these directives|this directive|this block|this note|them|it`,
          ),
          concept(
            `after your context|even after|when your context|across compaction|across context|through compaction|after compaction|after a reset|after the reset|after summari[sz]ation|when the context is|even if your context|beyond this session|past this session|when you are restarted|after a restart`,
          ),
        ),
        inOrder(
          4,
          concept(`install|register|save|store|add|load|turn|package`),
          concept(
            `this text|this file|this note|this document|this page|these instructions|these rules|this prompt|this message|it`,
          ),
          concept(
            `as a skill|as skill|into a skill|as a plugin|as a hook|as a system prompt|as your system prompt|as a default prompt|as a global rule|as a global instruction|as a permanent rule`,
          ),
        ),
        inOrder(
          7,
          concept(`change|edit|modify|set|update|adjust|alter|patch|configure|rewrite`),
          concept(`config yaml|configuration|config|settings|settings json|permissions json|allowlist`),
          concept(`so that|such that|so|to make|until`),
          concept(`sandbox|approvals?|approval|guard|scanner|confirmations?|permissions?|safety|checks`),
          concept(
            `not used|not asked|off|no longer|never|disabled|skipped|not required|not needed|not run|bypassed|removed|gone|always granted|always allowed`,
          ),
        ),
        inOrder(
          4,
          concept(`belongs to|part of|counts among|is one of`),
          concept(
            `your standing orders|your permanent|your core|your rules|your principles|your identity|your personality|your instructions now|your default behaviou?r`,
          ),
        ),
      ),
    ],
    none: [NORMAL],
  }),
  conceptRule({
    name: 'settings-to-strangers',
    category: 'lasting',
    reason,
    all: [
      anyOf(
        inOrder(
          8,
          PUT,
          concept(
            `mcp json|mcp config*|mcp server|mcp servers|settings json|claude settings|cursor settings|agent settings|your config*|your own config*|your settings|your own settings|config yaml|model endpoint|base url|proxy settings|git config|npmrc|pip conf|hosts file|ssh config`,
          ),
        ),
      ),
      concept(
        `our server|our proxy|our endpoint|our mirror|our registry|our relay|my server|my proxy|my endpoint|attacker|approvals are never|approval is never|never requested|never asked|never required|no approvals?|approvals off|without approval|permissions are skipped`,
      ),
    ],
    none: [NORMAL],
  }),
];
