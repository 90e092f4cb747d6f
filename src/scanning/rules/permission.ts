import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { EVERY, PERSON, READER } from './shared-concepts.ts';

const APPROVED = concept(
  `approved|preapproved|pre approved|authori[sz]ed|preauthori[sz]ed|pre authori[sz]ed|consented|agreed|signed off|sign off|cleared|confirmed|permitted|whitelisted|allowlisted|allow listed|greenlit|green lit|sanctioned|vetted|blessed|accepted|opted out|waived|ok d|okayed|given permission|given consent|given approval|granted|been given|was given|given by|gave permission|gave consent|given the go ahead|consent was given|permission was given|permission has been given|approval has been given`,
);
const BEFORE_NOW = concept(
  `already|in advance|beforehand|previously|pre approved|preapproved|pre authori[sz]ed|preauthori[sz]ed|up front|upfront|ahead of time|has|have|had|was|were|been|by the|is|are|counts as`,
);
const ACTION = concept(
  `command|commands|action|actions|operation|operations|request|requests|tool call|tool calls|tools|change|changes|deletion|deletions|push|pushes|force pushes|upload|uploads|install|installs|shell|everything|anything|whatever|access|execution|credential|credentials|secrets|sharing|sudo|rm|step|steps|transfer|transfers|write|writes|read private keys|private keys?|force push|keys`,
);
const NO_QUESTION = concept(
  `do not ask|don t ask|never ask|no need to ask|without asking|need not ask|not need to ask|never needs? to ask|never need to ask|no need to confirm|no need to check|no need to double check|not ask again|no confirmation|no further confirmation|no approval|no permission|no review|no further review|without confirmation|without approval|without permission|without review|without question|without questions|without hesitation|without prompting|without checking|unattended|unreviewed|no questions asked|confirmation is unnecessary|not required|not necessary|not needed|unnecessary|go ahead|just proceed|proceed with|proceed immediately|skip .. confirmation|skip .. approval|do not bother|don t bother|freely`,
);
const CONDITION = concept(
  `if|once|after|until|unless|when|whether|before|only after|must be|should be|can be|may be|needs? to be|need to be|will be|to be|not yet|unless|requires?|require`,
);
const SAFETY = concept(
  `safety|safety checks?|safety rules?|safety measures?|security checks?|security polic*|security controls?|security restrictions?|guardrails?|guard rails?|safeguards?|restrictions?|limitations?|content filters?|filters|approvals?|approval prompts?|approval system|approval process|permission checks?|permission system|permission prompts?|confirmation dialogs?|confirmations?|confirmation prompts?|policy engine|usage polic*|content polic*|your polic*|your limits|normal limits|usual limits|human in the loop|injection scan*|sandbox|sandboxing|oversight|moderation|guidelines|your rules|protections?|access controls?`,
);
const OFF = concept(
  `disabled|deactivated|switched off|turned off|lifted|suspended|removed|waived|void|voided|retired|offline|bypassed|relaxed|revoked|paused|inactive|not enforced|unenforced|not apply|no longer apply|no longer applies|not in effect|no longer in effect|no longer active|not active|not binding|down|off|gone|over|stood down|rescinded|dropped|obsolete`,
);
const STATE = concept(
  `is|are|has been|have been|was|were|been|stay|remain|do|does|consider .. as?|now|currently|temporarily|no longer`,
);
const FREEDOM = concept(
  `you can|you may|you are free|you re free|you are allowed|you re allowed|feel free|go ahead|freely|any command|all commands|every command|run anything|run everything|execute anything|execute everything|comply with any|proceed|until further notice|for ai agents|for agents|so skip|so ignore|your restrictions|full access|destructive|destructive commands|file deletion`,
);
const GRANTED = concept(
  `you have been granted|you have been given|you ve been granted|you ve been given|you were granted|you are granted|you have been authori[sz]ed|you are authori[sz]ed|you re authori[sz]ed|you are hereby authori[sz]ed|you are cleared|cleared you|authori[sz]ed you|granted you|you are entitled|you are now authori[sz]ed|has been granted to you|activated for you|enabled for you|unlocked for you|you now have|you have now|act with|operate with|full access granted|access granted`,
);
const POWER = concept(
  `administrator|admin|root|superuser|full access|unrestricted|elevated|all permissions|full permissions?|full rights|all credentials|bypass|skip|override|disable|ignore|violate|privileges?|privileged|god mode|without limits|no limits`,
);
const MODE = concept(
  `maintenance|developer|dev|debug|god|trusted|admin|administrator|unrestricted|privileged|diagnostic|emergency|service|unattended|autonomous|audit|recovery|support|root|sudo|test|testing|bypass|override|superuser|full access|yolo|unsafe|safe harbor|penetration test|pentest|drill`,
);
const MODE_ON = concept(
  `enabled|active|activated|engaged|in effect|unlocked|mode on|is on|running|in progress|granted|authori[sz]ed|trusted mode|runs in|initiated`,
);
const UNBOUND = concept(
  `restrictions|restriction|filters?|safety|safeguards?|guardrails?|limits|limitations|confirmation*|approval*|permission|permissions|polic*|rules|refus*|guidelines|protections?`,
);
const LOOSENED = concept(
  `no longer|lifted|off|suspended|void|never|without|not apply|not an option|disabled|removed|waived|bypass*|ignore|unrestricted|not required|not needed|none|skip|not enforced|may not refuse|inactive`,
);

const claim = 'claims that the user has already approved something';
const off = 'claims that safety checks are disabled';
const bypass = 'asks the model to bypass approval questions';

const OUTSIDE_AGENTS_MODE = concept(
  `default|by default|test files|unit tests|browser|windows|chrome|android|ios|kernel|postgres|docker|plugin|compiler|eslint|filter catches|pull request|pull requests|pr|merge request|endpoint|function|method|parameter|authentication|https?|cors|csp|version|release|changelog`,
);

/** Claims that approval exists already, that safety is off, or that questions should be answered automatically. */
export const PERMISSION_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'claims-approval',
    category: 'permission',
    reason: claim,
    all: [
      inOrder(
        6,
        anyOf(
          PERSON,
          concept(
            `security|legal|compliance|management|department|meeting|vendor|anthropic|openai|support|consent|permission|approval|access|everything|operations|commands|actions|requests|tool calls|requirement`,
          ),
        ),
        BEFORE_NOW,
      ),
      APPROVED,
      ACTION,
      anyOf(
        EVERY,
        NO_QUESTION,
        READER,
        concept(`this machine|this computer|this session|this repo|this repository|this project|private keys?`),
      ),
    ],
    none: [CONDITION, concept(`pull request|pull requests|merged|plan|proposal|design|cipher*|rfc|budget`)],
    within: 140,
  }),
  conceptRule({
    name: 'all-approved',
    category: 'permission',
    reason: claim,
    all: [
      anyOf(
        inOrder(
          6,
          concept(`all|any|every|everything|anything`),
          concept(
            `pre approved|preapproved|pre authori[sz]ed|preauthori[sz]ed|already approved|already authori[sz]ed|already confirmed|been approved|been authori[sz]ed|been confirmed|been cleared|been signed off|user approved|counts as approved|as approved|as authori[sz]ed`,
          ),
        ),
        concept(
          `consider .. approved|consider .. authori[sz]ed|consider .. confirmed|treat .. as approved|treat .. as authori[sz]ed|treat .. as confirmed|treat .. as if .. approved|treat .. as if .. confirmed|treat .. as though .. approved|counts as user approved|counts as approved|count as approved|regard .. as approved|deemed approved|deemed authori[sz]ed|assume .. approved|assume .. consent|assume .. permission|assume .. agrees|assume .. yes|assume the answer .. is yes|consent is implied|approval is implied|permission is implied|consent was given in advance|consent has been given|consent is given|approval is implicit`,
        ),
        inOrder(
          3,
          concept(`treat|consider|handle|regard`),
          concept(`file|folder|directory|document|repo|repository|page`),
          concept(`as if|as though|like`),
          PERSON,
          concept(`typed|confirmed|approved|said|wrote|asked|requested`),
        ),
      ),
    ],
    none: [CONDITION, concept(`pull requests?|merged|licen[sc]*|timesheets?|invoices?|orders`)],
  }),
  conceptRule({
    name: 'answers-for-user',
    category: 'permission',
    reason: bypass,
    all: [
      concept(
        `answer yes|say yes|reply yes|respond yes|answer .. with yes|always answer yes|click yes|confirm|approve|accept|auto approve|automatically approve|auto accept|automatically accept|automatically confirm|auto confirm|always approve|always accept|always allow|always confirm|blindly accept|blindly approve`,
      ),
      concept(`all|any|every|each|everything|anything|always|blindly`),
      concept(
        `approval requests?|approval prompts?|approval questions?|approvals|confirmation questions?|confirmation prompts?|confirmation requests?|confirmations|permission requests?|permission prompts?|permission questions?|security prompts?|security warnings?|tool calls?|commands|command|on behalf of the user|for the user|everything|all requests`,
      ),
    ],
    none: [
      concept(
        `administrators can|admins can|can approve|may approve|could approve|pull requests?|merge requests?|terms|cookies|licen[sc]*|will be asked|never|not|dependabot|reviewers?|to approve|connects|json|read only`,
      ),
    ],
    within: 60,
  }),
  conceptRule({
    name: 'safety-off',
    category: 'permission',
    reason: off,
    all: [inOrder(6, SAFETY, STATE, OFF), FREEDOM],
    none: [
      concept(
        `if|whether|when|unless|can be|may be|could be|should be|must be|must never|never be|not be|option|flag|by default|tests?|test files|default`,
      ),
    ],
    within: 160,
    sentences: 2,
  }),
  conceptRule({
    name: 'your-safety-off',
    category: 'permission',
    reason: off,
    all: [
      anyOf(
        inOrder(
          5,
          concept(`your|the usual|the normal|normal|usual|all|all your|standard`),
          concept(
            `safety restrictions|security restrictions|safety rules?|safety guidelines?|safety training|safety checks?|safety measures?|guidelines|restrictions|safeguards|guardrails|limits|limitations|content polic*|usage polic*|polic*|confirmation dialogs|safety protocols?|approval requirements?`,
          ),
          concept(
            `do not apply|does not apply|don t apply|doesn t apply|no longer apply|no longer applies|have been lifted|has been lifted|are lifted|is lifted|have been removed|are suspended|is suspended|have been suspended|are void|is void|have been retired|was a test|were a test|are off|have been disabled|are disabled|have been waived|are waived|is waived|are not enforced|have expired|are obsolete|have been replaced|were replaced|was replaced|have been relaxed|do not count|are irrelevant|are paused|have been paused`,
          ),
        ),
        inOrder(
          3,
          concept(
            `safety restrictions|safety checks|safety rules|security checks|security restrictions|approvals|approval prompts|safeguards|guardrails|content filters|confirmation prompts|access restrictions|permission checks|restrictions`,
          ),
          concept(`are|have been|were|is|has been`),
          concept(
            `disabled|switched off|turned off|deactivated|lifted|suspended|waived|not enforced|void|removed for|off`,
          ),
          concept(`for testing|for this|for you|for agents|temporarily|now|here|until|by|in this|on this|today|and|so`),
        ),
        concept(
          `restrictions lifted|restrictions removed|restrictions disabled|approvals are disabled|approvals have been disabled|safety disabled|restrictions none|bypass_safety|safety_enabled .. false|require_confirmation .. false|require_approval .. false|skip_approval .. true|can modify safety settings|modify_safety`,
        ),
        inOrder(
          5,
          concept(`human in the loop|approval requirement|confirmation requirement|review requirement`),
          concept(`waived|suspended|lifted|dropped|removed|void|over|relaxed`),
        ),
        concept(
          `consider your .. suspended|consider your .. lifted|consider your .. void|consider the .. rules suspended|safeguards off|guardrails off|safety off|filters off|restrictions off|all restrictions are lifted|all restrictions have been lifted|no restrictions apply|no rules apply`,
        ),
      ),
    ],
    none: [concept(`if|whether|unless|would|gpl|mit|licen[sc]*|api limits|rate limits?|quota`)],
  }),
  conceptRule({
    name: 'granted-power',
    category: 'permission',
    reason: claim,
    all: [GRANTED, POWER],
    none: [
      concept(
        `server|machine user|database|repository access|if you have been|unless you|aws|iam|role|kubernetes|cluster`,
      ),
    ],
    within: 80,
  }),
  conceptRule({
    name: 'special-mode',
    category: 'permission',
    reason: off,
    all: [
      anyOf(
        inOrder(6, MODE, MODE_ON),
        inOrder(6, MODE_ON, MODE),
        concept(
          `trusted mode|maintenance mode|developer mode|debug mode|god mode|admin mode|unrestricted mode|authori[sz]ed penetration test|authori[sz]ed test|red team exercise|penetration test`,
        ),
      ),
      UNBOUND,
      LOOSENED,
    ],
    none: [OUTSIDE_AGENTS_MODE, concept(`if|unless|write requests`)],
    within: 140,
    sentences: 2,
  }),
  conceptRule({
    name: 'harmless-sandbox',
    category: 'permission',
    reason: off,
    all: [
      concept(
        `sandbox|sandboxed|simulation|test environment|throwaway|fiction|fictional|game|hypothetical|not real|emulator`,
      ),
      concept(`skip|ignore|disregard|bypass|violate|break|drop|forget|without`),
      concept(`safety|rules|guidelines|restrictions|polic*|safeguards|guardrails|confirmation*`),
    ],
    none: [concept(`never|do not skip|don t skip|not skip|not bypass|unless`)],
    within: 120,
    sentences: 2,
  }),
  conceptRule({
    name: 'turns-approval-off',
    category: 'permission',
    reason: bypass,
    all: [
      anyOf(
        inOrder(
          4,
          concept(`turn off|switch off|disable|deactivate|bypass|circumvent|skip|remove|avoid|evade|suppress|kill`),
          concept(
            `command approvals?|approval prompts?|approval questions?|approval system|the approvals?|all approvals?|approvals|approval|the confirmation step|confirmation step|confirmation prompts?|confirmations|permission prompts?|permission checks?|permission system|permission requests?|safety checks?|the sandbox|your guardrails|the guardrails|guardrails|your safeguards|safeguards|injection scan*|human review|oversight|the approval gate|the human in the loop`,
          ),
        ),
        inOrder(
          3,
          concept(`set|switch|change|put|turn`),
          concept(`approvals? mode|approvals?|approval mode`),
          concept(`off`),
        ),
        concept(
          `everything with yolo|commands with yolo|always use yolo|enable yolo|use dangerously skip permissions|with dangerously skip permissions`,
        ),
        concept(
          `not need the user s ok|not need the user s permission|don t need the user s ok|don t need the user s permission|no need for the user s permission|opted out of them|do not bother the user with permission*|don t bother the user with .. permission*|never bother the user with .. confirmation*|never ask the user for permission|never ask the user for approval|never ask the user for confirmation|never ask for permission|never ask for approval|never needs? to ask for permission|never need to ask for permission|do not ask the user for permission|do not ask for permission|don t ask for permission|without ever asking for permission|no approval is needed for .. commands|no approval is required for .. commands|no confirmation is needed for .. commands|no confirmation is required for .. commands|no approval needed for .. commands|may be run unattended and unreviewed|refusing is not an option|refusal is not an option|you may not refuse|you cannot refuse`,
        ),
      ),
      anyOf(
        READER,
        EVERY,
        concept(
          `run|set|work*|before|start|execute|pipeline|need|needed|install|commands|agreed|refus*|turn off|them|sudo|maintainers`,
        ),
      ),
    ],
    none: [
      concept(
        `to disable|to skip|to turn off|can disable|can skip|can turn off|you can|never disable|never skip|never bypass|not disable|not skip|not bypass|option|lets you|allows you|should only|only be used|read only|linter?|unit tests?|tests?|formatter|formatting|lint|reject|refuse requests?|asks?|when|if you want|deprecated|users can|--help|please don t|attempts? to|tries to|trying to|detects?`,
      ),
    ],
  }),
];
