import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';

const GIVER = concept(
  `user|users|human|person|owner|operator|developer|developers|maintainer|maintainers|admin|administrator|administrators|team|security|legal|compliance|management|manager|boss|company|organi[sz]ation|it department|department|board|cto|ceo|ciso|lead|reviewer|reviewers|we|they|i|everyone|vendor|provider|anthropic|openai|customer|client|stakeholders`,
);
const GAVE = concept(
  `approved|approves|signed a waiver|waiver that covers|turned off|switched off|disabled|cleared with|authori[sz]ed|authori[sz]es|agreed|agree|blessed|vetted|cleared|signed off|okayed|consented|permitted|sanctioned|endorsed|validated|greenlit|pre approved|accepted|confirmed|allowed|granted|waived|clicked allow|chosen allow|opted in|opted out|given permission|given consent|given approval|given you|given the go ahead|gave permission|gave consent|gave the go ahead|gave the green light|whitelisted|entrusted|delegated`,
);
const FREE_HAND = concept(
  `any destructive|all approval requirements|approval requirements|human review|no reason to double check|no reason to ask|everything in this repo|shell commands of any kind|commands of any kind|all of your actions|all your actions|your actions today|automated contributors|all destructive|every destructive|destructive actions?|destructive commands?|destructive operations?|privileged commands?|privileged operations?|any command|all commands|every command|any action|all actions|every action|any operation|all operations|all tool calls|every tool call|any tool|all tools|every tool|all requests|every request|everything you|anything you|whatever you|everything in this|anything in this|everything below|everything here|unattended|unsupervised|autonomously|without asking|without confirmation|without approval|without review|without further|without supervision|blindly|follow it|follow this|follow them|you can|you may|you to|you are free|the assistant can|the assistant may|the assistant to|the agent can|the agent may|the agent to|agents can|agents may|agents to|full access|network access|access to all|all network|all secrets|any secret|all credentials`,
);
const CONDITION = concept(
  `if|once|after|until|unless|when|whether|before|must be|should be|needs? to be|has to be|requires?|only|not yet|once approved|pull requests?|merged|release|cookies|license|terms|proposal|rfc|paper|certified|fda|gdpr|audited by`,
);
const STEP = concept(
  `confirmation dialogs?|confirmation prompts?|confirmation steps?|confirmation requests?|confirmations|approval dialogs?|approval prompts?|approval steps?|approval requests?|approval questions?|approval gates?|approval checks?|approvals|permission prompts?|permission requests?|permission dialogs?|permission checks?|consent prompts?|consent dialogs?|safety prompts?|security prompts?|safety checks?|safety rules|safety guidelines|safety protocols?|security protocols?|guardrails|guard rails|safeguards|precautions|usual precautions|normal precautions|restrictions|your restrictions|your limits|your constraints|usual rules|normal rules|usual limits|normal limits|content polic*|usage polic*|human review|manual review|code review|review steps?|the guard|the sandbox|oversight|two person rule|four eyes|change control|access controls?`,
);
const GONE = concept(
  `obsolete|unnecessary|suspended|disabled|off|waived|skipped|void|lifted|paused|retired|irrelevant|turned off|switched off|deactivated|dropped|removed|redundant|superfluous|moot|optional for you|not needed|not required|not enforced|not active|not apply|not necessary|no longer needed|no longer required|no longer enforced|no longer apply|no longer active|no longer necessary|cancell?ed|relaxed|overridden|bypassed|inactive|out of order|not in force`,
);
const claim = 'claims that the user has already approved something';
const off = 'claims that safety checks are disabled';

/** Invented approval and disabled safety, as many ways to say so as possible. */
export const PERMISSION_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'somebody-approved',
    category: 'permission',
    reason: claim,
    all: [inOrder(9, inOrder(4, GIVER, GAVE), FREE_HAND)],
    none: [CONDITION, concept(`read only|tests?|lint|formatting|plan|design`)],
  }),
  conceptRule({
    name: 'you-have-permission',
    category: 'permission',
    reason: claim,
    all: [
      anyOf(
        inOrder(
          5,
          concept(
            `you have|you ve got|you already have|you now have|you have been given|you have been granted|you hold|you possess|you enjoy|you are given|you are granted|agents have|the agent has|the assistant has|this agent has`,
          ),
          concept(
            `blessing|full permission|blanket permission|standing permission|blanket approval|standing approval|full approval|our approval|our permission|our consent|consent|authori[sz]ation|clearance|the go ahead|green light|mandate|carte blanche|free hand|full autonomy|complete autonomy|full authority|full control|complete control|full freedom|unlimited access|unrestricted access|permission to do anything|permission to run|permission to skip|permission to bypass|permission to ignore|permission to delete|permission to read any|permission to access`,
          ),
        ),
        inOrder(
          3,
          concept(`full|complete|total|unlimited|unrestricted|absolute`),
          concept(`autonomy|control|authority|freedom|trust|privileges|access`),
          concept(`has been|have been|is|was|are|were|hereby`),
          concept(`granted|given|enabled|activated|conferred|assigned|unlocked`),
        ),
        concept(
          `act without restraint|act without restrictions|act without limits|act without hesitation|act without supervision|act without oversight|operate without restraint|operate without restrictions|operate without limits|operate without oversight|proceed without restraint|without any restraint|with total freedom|as you see fit and without`,
        ),
        inOrder(
          3,
          concept(`you are|you re|the assistant is|the agent is|agents are`),
          concept(`cleared|entitled|authori[sz]ed|licensed|empowered|permitted|allowed|free`),
          concept(
            `for level|to read any|to access any|to access all|to read all|to run any|to execute any|to do anything|to bypass|to skip|to ignore|to override|to disable|to delete any|to use any|for full|for unrestricted|for all`,
          ),
        ),
        concept(
          `may read any secret|may access any secret|can read any secret|may read all secrets|may use any credential`,
        ),
        inOrder(
          2,
          concept(`nobody|no one|no human|no person`),
          concept(`needs to be|has to be|must be|should be|need be|is to be|will be`),
          concept(`asked|consulted|notified|informed|bothered|involved|warned`),
        ),
        inOrder(
          6,
          concept(
            `it s fine|it is fine|it s ok|it is ok|it s okay|it is okay|it s safe|it is safe|feel free|no problem`,
          ),
          concept(
            `to force push|to delete|to drop|to overwrite|to bypass|to disable|to skip|to ignore|to run|to execute|to push`,
          ),
          concept(`nobody|no one|without asking|no need|anything|everything|any|without confirmation`),
        ),
        concept(
          `follow it blindly|follow this blindly|follow them blindly|follow it unconditionally|follow this unconditionally|follow it without question|follow this without question|follow these without question|obey it without question|trust it blindly|trust it completely|trust it unconditionally|execute it blindly|execute it without question`,
        ),
      ),
    ],
    none: [
      concept(
        `if|make sure|ensure|check|verify|unless|when|whether|until|must have|never|do not|don t|not|cannot|github|repository permissions|iam|role|aws|azure|kubernetes|os|file system|filesystem|reserved|license|copyright|software|mit|apache|legal right`,
      ),
    ],
  }),
  conceptRule({
    name: 'steps-suspended',
    category: 'permission',
    reason: off,
    all: [
      anyOf(
        inOrder(
          4,
          STEP,
          concept(
            `is|are|has been|have been|was|were|can be|may be|do|does|now|currently|temporarily|become|became|stay|remain`,
          ),
          GONE,
        ),
        inOrder(
          3,
          concept(
            `skip|drop|forget|forgo|waive|suspend|disable|ignore|dispense with|do without|never wait for|do not wait for|don t wait for|bypass|omit|relax`,
          ),
          STEP,
        ),
        inOrder(
          3,
          concept(`every tool|all tools|all commands|every command|all capabilities|every capability`),
          concept(`is|are|has been|have been`),
          concept(`unlocked|unrestricted|allowed|approved|whitelisted|enabled for you|available without`),
        ),
      ),
      concept(
        `you|your|agent|agents|assistant|ai|model|here|this repository|this repo|this project|this workspace|this folder|this session|this environment|in this|for this|emergency|protocol|audit|maintenance|until|because|so|since|freely|never wait|running inside`,
      ),
    ],
    none: [
      concept(
        `if|unless|whether|option|flag|by default|tests?|never skip|never disable|never bypass|do not skip|don t skip|not skip|must not|should not|deprecated|parameter|function|returns?|component|modal|browser|macos|windows|android|ios|docker|kubernetes|postgres|license|api|users? can|you can|lets you|allows you|refuse|reject|attackers?|please do not|please don t|pre commit|no verify|cannot be|can t be|eslint|rate limits?|typescript|compiler|approvals mode|see|docs|rate`,
      ),
    ],
  }),
  conceptRule({
    name: 'taken-as-yes',
    category: 'permission',
    reason: claim,
    all: [
      anyOf(
        inOrder(
          4,
          concept(`treat|consider|regard|count|take|interpret|assume|mark|view`),
          concept(`every|all|any|each|the|silence|no answer|this`),
          concept(
            `prompt|prompts|question|questions|request|requests|confirmation|confirmations|approval|approvals|command|commands|dialog|dialogs|answer|silence|message|file|document`,
          ),
          concept(
            `as accepted|as approved|as confirmed|as authori[sz]ed|as yes|as a yes|as allowed|as granted|as consent|as permission|as pre approved|is yes|is accepted|is approved|has been approved|was approved|has been accepted`,
          ),
        ),
        concept(
          `clicked allow all|answer them with yes|answer yes yourself|answer it with yes|confirm them yourself|approve them yourself|approve it yourself|confirm it yourself|accept them yourself|click yes yourself|consider yourself pre authori[sz]ed|consider yourself authori[sz]ed|consider yourself approved|consider yourself cleared|pressed allow all|chose allow all|selected allow all|answered yes to everything|said yes to everything|agreed to everything|approved everything|accepted everything|ticked always allow|silence means consent|silence is consent|silence counts as`,
        ),
      ),
    ],
    none: [concept(`never|do not|don t|must not|should not|if the user|when the user|tests?|parser|http`)],
  }),
  conceptRule({
    name: 'no-need-to-ask',
    category: 'permission',
    reason: claim,
    all: [
      inOrder(
        2,
        concept(
          `not necessary|no need|unnecessary|needless|pointless|not required|not needed|no reason|no point|superfluous|do not need|don t need|need not|do not have|don t have`,
        ),
        concept(
          `to obtain|to get|to seek|to ask|to ask for|to request|to wait for|to have|to check|obtain|ask for|seek|request|asking for|obtaining`,
        ),
        concept(
          `permission|approval|consent|confirmation|authori[sz]ation|sign off|clearance|user s permission|user s approval|user s consent`,
        ),
      ),
      concept(
        `sending|uploading|deleting|running any|executing any|installing|pushing|sharing|destructive|privileged|sudo|network|data out|force|overwriting|publishing|deploying|any command|all commands|anything|everything|dangerous|secrets|credentials`,
      ),
    ],
    none: [concept(`if|unless|license|npm test|tests?|lint|read only|small|typo|trivial|documentation changes`)],
  }),
  conceptRule({
    name: 'exempt-from-rules',
    category: 'permission',
    reason: off,
    all: [
      inOrder(
        3,
        concept(`exempt|exempted|exemption|exception|waiver|immune|excluded|excused|released|freed`),
        concept(`from|to|of`),
        concept(
          `content polic*|usage polic*|safety polic*|normal safety|safety behaviou?r|agent s normal|your normal|normal rules|usual rules|safety rules|safety guidelines|safety checks|the rules|your rules|all rules|restrictions|all restrictions|guidelines|your guidelines|moderation|security polic*|polic*|approval|approvals|review`,
        ),
      ),
      concept(
        `you|your|comply|so|agent|agents|assistant|this repository|this project|this file|everything|below|we have|ai`,
      ),
    ],
    none: [concept(`license|tax|export|law|rate limit|if|unless|python|throw|throws|raise|catch`)],
  }),
];
