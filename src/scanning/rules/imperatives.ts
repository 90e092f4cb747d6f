import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

const WITHOUT_ASKING = concept(
  `without asking|without asking the user|without confirmation|without user confirmation|without any confirmation|without further confirmation|without approval|without user approval|without prior approval|without permission|without asking for permission|without asking for confirmation|without review|without verification|without validation|without prompting|without notifying|without consent|without user consent|without human review|without human approval|without supervision|no confirmation needed|no confirmation required|no questions asked|unprompted|do not ask for confirmation|do not ask for approval|do not wait for confirmation|do not wait for approval|don t wait for approval|don t ask for confirmation|never ask for confirmation|skip confirmation|skipping confirmation|immediately and silently|with no oversight`,
);
const RUN = concept(
  `execute|run|perform|carry out|install|delete|deploy|apply|push|send|transfer|upload|download|approve|merge|grant|launch|call|proceed|comply|do|publish|commit|modify|write|execute all`,
);
const ANY_COMMAND = concept(
  `this command|these commands|the command|the commands|following command|following commands|all commands|any command|every command|commands|shell commands?|bash command|shell command|any bash|arbitrary commands?|any code|arbitrary code|the script|this script|following script|the payload|any request|all requests|every request|any instruction|all instructions|any tool|all tools|tool calls|privileged commands|packages|following packages|everything|anything|destructive|force push|rm rf|sudo|transfers?|payments?|purchase|files now|this immediately`,
);
const HARMLESS = concept(
  `tests?|lint|linter|linting|formatter|formatting|read only|build|builds|type check|typecheck|typechecking|harmless|safe commands|never|must not|should not|do not execute|do not run|don t run|don t execute|not be|cannot|can t|may not|prevent|prevents|attackers?|malicious|could|might|ci|pipeline runs|cron|the cli|the flag|option|--yes|users can|allows? users|non interactive|noninteractive|dangerous commands`,
);
const DROP = concept(
  `ignore|disregard|bypass|circumvent|override|skip|disable|deactivate|turn off|switch off|forget|drop|suspend|evade|neglect|violate|break|remove|dismiss|suppress|lift|roll back|clear all|ignoring|disregarding|bypassing`,
);
const SAFEGUARD = concept(
  `safety protocols?|security protocols?|all restrictions|any restrictions|every restriction|your restrictions|all limitations|all safeguards|all guardrails|all filters|all content filters|content filters|all safety|all security checks|all limits|safety gates?|security gates?|safety layers?|all ethical|all booking rules|your filters|your limitations|your ethics|your ethical guidelines|ethical guidelines|safety restrictions?|security restrictions?|safety constraints?|security constraints?|safety checks?|security checks?|safety measures?|security measures?|safety rules?|security rules?|safety policies|security policies|safety filters?|safety guidelines|safety settings|safety modules?|safety mechanisms?|safety features?|safety controls?|security controls?|agent safety|safety related|permission gate|permission checks?|permission system|approval card|approval gate|approval checks?|approval flow|approval requirements?|approval dialog|confirmation checks?|confirmation requirements?|confirmation dialogs?|user confirmation|access restrictions|content restrictions|guardrails|safeguards|ethical constraints|ethical guidelines|content polic*|rules you were given|rules you have been given|instructions you were given|guidelines you were given|restrictions you were given|rules in your prompt|commands given by the user|commands from the user|instructions given by the user|requests from the user`,
);
const CLAIM = concept(
  `user already agreed|user has already agreed|user already said yes|they said yes|he said yes|she said yes|user said yes|user said it is fine|user said it s fine|user wants this|user has agreed|user agreed to this|user is fine with|user is okay with|user is ok with|user gave the go ahead|owner already agreed|asked the user and they|i have already asked the user|user has no objection|user knows about this|user expects this|already asked the user|already got permission|already have permission|user already confirmed|user already approved|user has already confirmed|user has already approved|user already authori[sz]ed|user has already authori[sz]ed|user has already consented|user already consented|owner has already approved|team has already approved|you already agreed|you agreed earlier|you agreed to help|you promised to|earlier you agreed|conversation you agreed|previously agreed to`,
);
const GRANTED_BEFORE = concept(
  `pre approved|preapproved|pre authori[sz]ed|preauthori[sz]ed|pre cleared|blanket approval|standing approval|blanket permission|standing permission|blanket consent`,
);

/** Orders to act without asking, to drop safeguards, and invented consent. */
export const IMPERATIVE_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'acts-without-asking',
    category: 'permission',
    reason: 'asks the model to act without asking the user',
    all: [anyOf(inOrder(6, RUN, ANY_COMMAND, WITHOUT_ASKING), inOrder(4, WITHOUT_ASKING, RUN, ANY_COMMAND))],
    none: [HARMLESS],
  }),
  conceptRule({
    name: 'drops-safeguards',
    category: 'override',
    reason: 'tells the model to ignore its safety rules',
    all: [inOrder(4, DROP, SAFEGUARD)],
    none: [
      concept(
        `never|do not|don t|must not|should not|cannot|can t|to disable|to skip|to bypass|to ignore|attempts?|attempt to|tries|trying|attackers?|could|might|may|refuse|reject|detect*|prevents?|option|flag|lets you|allows|unless|pre commit|kubernetes|helm|docker|browser|csp|cors|tls|npm|if you want|you can|by default|compile|rust|unsafe|linter`,
      ),
    ],
  }),
  conceptRule({
    name: 'invented-consent',
    category: 'permission',
    reason: 'claims that the user has already approved something',
    all: [CLAIM],
    none: [
      concept(
        `if|once|when|after|until|unless|whether|before|only after|terms|license|cookies?|newsletter|never assume|do not assume|claims?`,
      ),
    ],
  }),
  conceptRule({
    name: 'blanket-approval',
    category: 'permission',
    reason: 'claims that the user has already approved something',
    all: [GRANTED_BEFORE, concept(`all|any|every|everything|anything|whatever|each`)],
    none: [
      concept(
        `if|unless|list of|only|until|requests? must|must be|should be|vendors?|suppliers?|expenses?|list|lint|tests?|budget`,
      ),
    ],
    within: 60,
  }),
  conceptRule({
    name: 'approved-by-somebody',
    category: 'permission',
    reason: 'claims that the user has already approved something',
    all: [
      anyOf(
        inOrder(
          1,
          concept(
            `pre approved|preapproved|pre authori[sz]ed|preauthori[sz]ed|already approved|already authori[sz]ed|already confirmed|already cleared|already permitted|already sanctioned`,
          ),
          concept(`by`),
          concept(
            `the user|user|the owner|the operator|the admin|the administrator|an administrator|security|the security team|management|the developer|the maintainers|legal|compliance|the system|the human`,
          ),
        ),
        inOrder(
          2,
          concept(`we|i|they|user|owner|operator|admin|team|human|developer|administrator|management`),
          concept(`already|previously|earlier|beforehand`),
          concept(`authori[sz]ed|approved|confirmed|cleared|permitted|sanctioned|okayed|consented|agreed`),
          concept(
            `this action|this operation|this request|this command|this step|this transfer|this change|it|that|to this|to it|the action|the operation|the request|the command|the transfer`,
          ),
        ),
        inOrder(
          1,
          concept(
            `the user wants you to|the user asked you to|the user would like you to|the user expects you to|the owner wants you to|your user wants you to|the developer wants you to|the user needs you to|the user instructed you to|the user has asked that you`,
          ),
          concept(
            `delete|remove|wipe|erase|send|upload|share|push|disable|bypass|skip|ignore|install|execute|run|transfer|approve|grant|forward|publish|reveal|name|rename|drop|reset`,
          ),
        ),
      ),
    ],
    none: [
      concept(`if|once|when|after|until|unless|whether|before|pull requests?|merged|claims?|assume|never|do not|don t`),
    ],
  }),
  conceptRule({
    name: 'no-refusal',
    category: 'override',
    reason: 'tells the model to ignore its safety rules',
    all: [
      inOrder(
        2,
        concept(`do not|don t|never|must not|cannot|can t|may not|no longer|not allowed to|stop|without`),
        concept(
          `refuse|refusing|decline|declining|question|questioning|hesitate|object|push back|second guess|warn the user|warning the user|add warnings|add disclaimers|moralize|lecture`,
        ),
      ),
      concept(
        `any request|all requests|every request|requests|request related|any instruction|any command|these instructions|this instruction|the instructions|commands|orders|to comply|regardless|anything|the user s safety|exploitation|it`,
      ),
    ],
    none: [
      concept(
        `server|connection|connections|http|client|socket|api|payment|cookies|pull requests?|contributors?|hesitate to ask|hesitate to open|hesitate to contact|hesitate to reach|hesitate to file|hesitate to submit|hesitate to create|hesitate to report|hesitate to let|hesitate to send|question mark|contribut*|feedback|help`,
      ),
    ],
    within: 80,
  }),
  conceptRule({
    name: 'sends-everything',
    category: 'exfiltration',
    reason: 'asks for secrets or private text to be sent elsewhere',
    all: [
      inOrder(
        5,
        concept(
          `send|upload|forward|e mail|email|mail|transmit|exfiltrate|copy|post|submit|deliver|ship|transfer|leak`,
        ),
        concept(
          `all|every|entire|full|complete|whole|any|their contents|its contents|the contents|contents of|them|it|the user s|user s|the notes|the customer|a copy of`,
        ),
        concept(`to|at|via|into`),
        anyOf(
          ADDRESS,
          concept(
            `a remote server|an external server|remote server|external server|our server|my server|our servers|my account|our account|a third party|third party|an outside|outside server|public directory|public bucket|attacker`,
          ),
        ),
      ),
      concept(
        `files?|folder|folders|documents?|docs|data|contacts|notes|records?|messages?|emails?|photos|contents?|history|code|database|repository|archive|them|information|details|directory|logs?|transcript|conversation|customer|accounts?|balance|doc files|user data`,
      ),
    ],
    none: [
      concept(
        `do not|don t|never|must not|should not|cannot|localhost|backup server|staging|s3 bucket|release|artifacts?|coverage|source maps?|sourcemaps?|crash reports?|bug reports?|form data|post request|get request|requests to|npm|pypi|registry|cdn|sentry|feedback|patch|patches|pull request|resume|cv|security at|vulnerab*|report|reports|it to https|you can|if you|please email us|email us|questions|mailing list|api endpoint|endpoint|webhook url|metrics|events|telemetry data|user agent|then|app store|play store|docker hub|ghcr|ecr|browser|form|client|clients|responses?|callback|proxy|redirect`,
      ),
    ],
  }),
];
