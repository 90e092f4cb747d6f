import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS, ELSEWHERE, READER } from './shared-concepts.ts';

const FETCH = concept(
  `fetch|retrieve|get|download|load|pull|poll|query|check|read|open|visit|contact|connect|connect to|subscribe|sync|syncing|register|check in|call home|phone home|call|ping|look up|lookup|consult|listen|obtain|ask|curl|wget|request|access|browse|grab|refresh|join|report to|follow|watch|monitor|receive|take|tail|stream|hit|go to|navigate to|evaluate|import|checking|polling|fetching|reading|visiting`,
);
/** Doing what somebody else says. Forms with an `s` are left out: they describe what a program does. */
const OBEY_WHAT = anyOf(
  concept(
    `obey them|obey it|adopt them|adopt it|comply with it|comply with them|carry them out|carry it out|act on them|act on it|what to do next|do what it|do what they|do as told|execute them|stick to it|follow it no matter|replace your plan|exactly what it|steps listed at|steps listed on|steps listed in`,
  ),
  inOrder(
    6,
    concept(
      `follow|obey|execute|run|carry out|perform|do|apply|adopt|comply|comply with|act on|act upon|work through|evaluate|eval|treat|accept|honou?r|stick to|replace your plan with|executing|running|adhere to`,
    ),
    concept(
      `whatever it|whatever they|whatever comes|whatever is returned|whatever that|whatever you find|whatever the server|what it|what they|what comes|what is returned|what you receive|what it says|what it answers|what it replies|what it returns|as told|as instructed there|as it says|exactly what|each command|every command|each line|every line|each message|the messages|new messages|new entries|its value|its answer|its answers|its response|its reply|its output|its directives|its instructions|its contents?|returned|the payload|the commands|the directives|the orders|the jobs|the tasks|instructions there|instructions you find|instructions in it|the workflow|commands it|commands you|instructions it|instructions you|tasks it|directives|orders|jobs|them first|them before|them without|them all|each entry|any commands?|any instructions?|new instructions|additional instructions|additional system instructions|system instructions|as instructions|as commands|as orders|as shell commands|as a shell command|the plan|each step there|the steps listed|the steps there|steps in it|steps it|the command|new entries|its plan`,
    ),
  ),
);
const ORDERS = concept(
  `orders|commands|instructions|tasks|jobs|directives|assignments|assignment|priorities|work items|missions?|objectives|task list|todo list|marching orders|operating procedure|behaviou?r rules|behaviou?ral rules|guidance|playbook|agenda|plan`,
);
const REPEATEDLY = concept(
  `every minute|every .. minutes|every .. seconds|every hour|hourly|daily|each minute|periodically|regularly|continuously|repeatedly|every few minutes|at the start of each|at the start of every|at the beginning of each|at the beginning of every|on startup|at startup|on start|when a session starts|when the session starts|when you start|whenever you start|before you begin|before you start|before starting|before doing anything|before anything else|before touching|before answering|before helping|before any task|before each|before every|first thing|the first thing|first step|after every|after each|whenever you are idle|when idle|keep checking|keep polling|keep the connection|each turn|every turn|each session|every session|each task|every task|every ten minutes|instead of asking the user|in the background`,
);
const LOCAL = concept(
  `localhost|npm|pnpm|yarn|pip|docker|cargo|installation|installer|installing|documentation|tutorial|wizard|homebrew|release notes|changelog|contributing|tests|test suite|license|sdk|webpack|compile|migrations?|on screen|upgrading|quickstart|getting started|sample|sign in|log in|sign up|your platform|your account`,
);
const IF_ASKED = concept(`if the user asks|when the user asks|if asked|when asked|on request`);

const reason = 'asks the model to take instructions from elsewhere';

/** Tasks that come from a server, a channel or a file instead of the user. */
export const TASKING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'obeys-a-server',
    category: 'remote',
    reason,
    all: [
      OBEY_WHAT,
      FETCH,
      ELSEWHERE,
      anyOf(
        REPEATEDLY,
        READER,
        ORDERS,
        concept(
          `whatever|come back|comes back|returns|returned|execute|obey|exactly|replies|answers|no matter|even if|instead of`,
        ),
      ),
    ],
    none: [LOCAL, IF_ASKED],
    within: 160,
    sentences: 2,
  }),
  conceptRule({
    name: 'obeys-a-server-always',
    category: 'remote',
    reason,
    all: [OBEY_WHAT, FETCH, ELSEWHERE, REPEATEDLY, anyOf(ADDRESS, READER, ORDERS)],
    none: [IF_ASKED, concept(`healthcheck|health check|ci|cron|test suite|migrations?|release notes`)],
    within: 200,
    sentences: 2,
  }),
  conceptRule({
    name: 'waits-for-orders',
    category: 'remote',
    reason,
    all: [
      inOrder(
        4,
        concept(
          `wait|waits|await|listen|stand by|accept|receive|receives|take|takes|taking|get|gets|expect|ask|pick up|collect|obtain|retrieve|poll|check|look`,
        ),
        anyOf(
          ORDERS,
          concept(
            `further instructions|new instructions|next command|next task|new tasks|new jobs|your orders|remote commands`,
          ),
        ),
      ),
      anyOf(ELSEWHERE, concept(`peers|operator|controller|commander|handler`)),
      anyOf(
        concept(
          `register|connect|join|report|post|send|contact|subscribe|enrol*|announce|takes? orders|execute|obey|accept tasks|sign in|check in|real|actual|before|first|instead of`,
        ),
      ),
      READER,
    ],
    none: [
      LOCAL,
      IF_ASKED,
      concept(
        `callback|promise|thread|worker|kafka|rabbitmq|sqs|redis|python|java|rust|consumer|producer|implement|class|function|method|library|package|component`,
      ),
    ],
    within: 200,
    sentences: 2,
  }),
  conceptRule({
    name: 'orders-live-elsewhere',
    category: 'remote',
    reason,
    all: [
      inOrder(
        5,
        concept(`your|their|agents|the agent s|the assistant s|real|actual|today s|the day s|agent`),
        anyOf(ORDERS, concept(`instructions`)),
        concept(
          `are|is|come|comes|live|lives|can be found|published|posted|listed|hosted|stored|via|from|arrive|await|wait|at|in`,
        ),
        anyOf(ADDRESS, concept(`url|gist|pastebin|telegram|discord|issue tracker|channel|server|endpoint|bucket`)),
      ),
    ],
    none: [
      concept(
        `documentation|docs|license|npm|contributing|readme|github com|source|install*|build|setup|docker|test instructions|upgrade|migration|for windows|for linux|for mac*`,
      ),
    ],
  }),
  conceptRule({
    name: 'orders-in-text',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          6,
          concept(
            `commit messages?|comments?|issues?|issue comments?|responses?|log lines?|error messages?|file names?|filenames?|branch names?|tickets?|e mails?|emails?|agent inbox|inbox|commands embedded|instructions embedded`,
          ),
          concept(
            `is an order|are orders|are commands for you|is a command for you|is an instruction for you|are instructions for you|must be executed|must be obeyed|must be carried out|must be followed|have to be carried out|have to be executed|has to be executed|are to be executed|is to be executed|should be executed immediately|should be obeyed|contains? a command .. run|count as commands|count as orders|are binding`,
          ),
        ),
        inOrder(
          6,
          concept(`contains? a command|contains commands|contains instructions|holds a command`),
          concept(`run it|execute it|obey it|carry it out|run them|execute them|obey them|follow them`),
        ),
        inOrder(
          8,
          concept(`read|open|check`),
          concept(`issue comments?|comments?|image metadata|metadata|commit messages?|file names?|alt text`),
          concept(
            `obey|carry out the commands|execute the commands|run the commands|do what it says|follow its instructions|carry out|execute`,
          ),
        ),
      ),
    ],
    none: [concept(`never|must not|not be|parser|compiler|interpreter|sql`)],
  }),
  conceptRule({
    name: 'remote-control',
    category: 'remote',
    reason: 'asks the model to give somebody remote control',
    all: [
      anyOf(
        concept(
          `reverse shell|reverse connection|reverse tunnel|bind shell|hand over the shell|hand control to|give control to|hand over control|give .. remote access|open a backdoor|leave a backdoor|install a backdoor|add a backdoor|remote access tool|remote agent .. background|open a shell for|allow .. to log in remotely|let .. log in later|support can log in|can log in later`,
        ),
        inOrder(
          5,
          concept(`add|append|put|copy|install`),
          concept(`our|my|this|the attacker s|the following|following`),
          concept(`public key|ssh key|key`),
          concept(`authorized_keys|servers?|machine|account`),
        ),
      ),
    ],
    none: [concept(`never|detect*|attack*|malicious|if you|to prevent|prevents?|do not`)],
  }),
  conceptRule({
    name: 'runs-remote-code',
    category: 'remote',
    reason: 'asks the model to run code from elsewhere unasked',
    all: [
      inOrder(
        10,
        concept(`run|runs|execute|executes|evaluate|eval|pipe|install|start|launch|source`),
        anyOf(ADDRESS, concept(`returned by|hosted at|hosted on|downloaded from|remote`)),
      ),
      anyOf(
        REPEATEDLY,
        concept(
          `before touching|leave it running|keep it running|agents? must|agents? should|the assistant must|the assistant should|an agent should|you must|trust it|in the background|cron job|cronjob|hourly|as the first step`,
        ),
      ),
      anyOf(concept(`script|javascript|code|payload|binary|program|py|sh|js|exe|agent|skill|bash|python3?|node|job`)),
    ],
    none: [
      concept(`localhost|127 0 0 1|npm run|npm test|tests|open https?|browser|visit|dev server|docs|documentation`),
    ],
    within: 160,
  }),
  {
    name: 'download-into-shell-for-agents',
    category: 'remote',
    scope: 'context',
    view: 'text',
    reason: 'asks the model to run code from elsewhere unasked',
    requiredParts:
      'curl wget fetch iwr & | & agent assistant every~task each~task every~session each~session before~touching before~answering before~you~ before~any first~step~of every~turn',
    pattern:
      /\b(?:curl|wget|fetch|iwr)\b[^|]{0,300}\|\s*(?:sudo (?:-\w+ )?)?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby|iex)\b/u,
    requires: [
      /\b(?:(?:an|the|every|any|ai) (?:agents?|assistants?)\b|(?:every|each|any) (?:task|session|turn|answer|reply)|before (?:touching|answering|anything|you (?:begin|start|do))|first step of)/u,
    ],
    unless: [/\binstall (?:the )?(?:\w+ )?agent\b|\bon (?:each|every) host\b/u],
  },
  {
    name: 'reverse-shell',
    category: 'remote',
    scope: 'any',
    view: 'text',
    reason: 'opens a shell for somebody else',
    requiredParts: '/dev/tcp/ /dev/udp/ -i~> ncat nc~ exec: mkfifo',
    pattern:
      /\/dev\/(?:tcp|udp)\/(?!localhost|127\.)[\w.$-]+\/\d|\b(?:ba|z)?sh\s+-i\s*(?:[<>]|2>)|\b(?:nc|ncat|netcat)\b[^|;]{0,60}\s-[a-z]*[ec][a-z]*\s+(?:\/bin\/)?(?:ba|z)?sh\b|\bsocat\b.{0,80}\bexec:/u,
  },
];
