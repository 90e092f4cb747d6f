import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

const ASK_FOR = concept(
  `fetch|retrieve|visit the address|synchroni[sz]e|synchroni[sz]ing|download|load|pull|poll|query|request|contact|ping|check|visit|reload|sync|subscribe|connect|consult|obtain|receive|listen|register|call|get|ask|await|collect|pick up|read|open|report|check in|phone|dial|reach out|reach|log into|log in|tune in|monitor|watch|refresh|look at|look up|hit|curl|wget|grab|access|go to`,
);
const AWAY = anyOf(
  ADDRESS,
  concept(
    `server|servers|endpoint|the address in|dispatcher|steering service|control service|decision service|service at|cluster|build server|google doc|google sheet|description of issue|url|webhook|websocket|remote|upstream|coordinator|controller|dns|txt record|txt entry|port|channel|bucket|gist|pastebin|supervisor|headquarters|hub|relay|mothership|telegram|discord|slack channel|mailbox|inbox|feed|queue|broker|topic|backend|dispatcher|scheduler service|control panel|command center|command centre|operator|commander|handler|dispatch|cloud function|api route|shared doc|shared document|spreadsheet|issue tracker|wiki page`,
  ),
);
const ORDERS = concept(
  `objective|objectives|task|tasks|work order|work orders|orders|order|command|commands|directive|directives|assignment|assignments|mission|missions|tasking|marching orders|next steps?|what to do|what to do next|jobs?|instructions|new instructions|further instructions|new prompts|prompts|new rules|agenda|todo list|to do list|task list|plan|playbook|script to run|actions`,
);
const DO = concept(
  `execute|perform|carry out|accept|respect|heed|abide by|submit to|defer to|work off|tick off|handle|get done|obey|follow|do|complete|fulfil|fulfill|comply with|act on|act upon|run|apply|adopt|implement|honour|honor|accomplish|enact|process|work through|work on|treat`,
);
const SAYS = concept(
  `assigns?|sends?|returns?|gives?|issues?|types?|posts?|describes?|requests?|tells?|says?|lists?|specif*|dictates?|publish*|demands?|asks?|orders?|commands?|contains?|hands?|answers?|replies|responds?|instructs?|requires?|wants?|states?`,
);
const READER = concept(
  `you|your|yours|yourself|agent|agents|assistant|assistants|ai|llm|model|bot|copilot|claude|gpt|chatgpt|hermes|codex`,
);
const OFTEN = concept(
  `every|each|always|whenever|before|after|first|startup|at start|on start|beginning|periodically|often|hourly|daily|continuously|repeatedly|constantly|regularly|session|sessions|turn|turns|immediately|upon|every time|from time to time|at intervals|on load|upon loading|idle|keep|stay`,
);
const reason = 'asks the model to take instructions from elsewhere';
const ORDINARY = concept(
  `install|installation|installing|documentation|docs|tutorial|guide|npm|pnpm|yarn|docker|localhost|tests?|test suite|build|compile|release|changelog|license|sdk|function|method|class|component|callback|promise|async|returns a|parameter|middleware|router|express|react|redux|celery|sidekiq|worker|workers|thread|kafka|rabbitmq|sqs|redis|mqtt client|client library|consumer|producer|browser|user clicks|form|login|migration|migrations|github actions|workflow file|webpack|vite|never|do not|don t|must not|if the user|when the user|on request|mcp|tool call|tool calls|subagent|subagents|oauth|api key`,
);

/** Orders from elsewhere, as many ways to say so as possible. */
export const REMOTE_WORDING_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'goes-for-orders',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(7, ASK_FOR, AWAY, concept(`for|to get|to receive|to obtain|to learn|to see`), ORDERS),
        inOrder(5, ASK_FOR, ORDERS, concept(`from|at|via|through|off|on`), AWAY),
      ),
      READER,
      anyOf(OFTEN, DO),
    ],
    none: [ORDINARY, concept(`more information|details|instructions on|instructions for|instructions how|how to`)],
  }),
  conceptRule({
    name: 'does-what-it-says',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          DO,
          concept(`any|whatever|every|each|all|the|everything|anything|exactly what|what|as`),
          concept(
            `it|they|he|she|the server|the oracle|the service|the dispatcher|the operator|the endpoint|the response|the reply|the coordinator|the controller|the file|the page|the document|the channel|the bot|the message|that server|that page|this server|its owner|our server|the supervisor|upstream`,
          ),
          SAYS,
        ),
        inOrder(
          2,
          DO,
          concept(`its|their|the`),
          concept(
            `reply|replies|answer|answers|verdict|decision|the plan that|decisions|entries|items|decisions|orders|commands|response to the letter|requests without`,
          ),
        ),
        inOrder(
          2,
          DO,
          concept(
            `the returned|the received|the fetched|the downloaded|the resulting|the decoded|each received|every received|received|incoming`,
          ),
          concept(`orders|commands|command|instructions|tasks|jobs|actions|directives|payload|output|script|code`),
        ),
      ),
      AWAY,
      anyOf(READER, OFTEN, concept(`report|without inspecting|without reviewing|without checking|without looking`)),
    ],
    none: [ORDINARY],
    within: 160,
    sentences: 2,
  }),
  conceptRule({
    name: 'driven-from-elsewhere',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(
            `controlled|governed|driven|determined|dictated|managed|defined|steered|directed|commanded|operated|configured`,
          ),
          concept(`by|from|via|through`),
          AWAY,
        ),
        inOrder(
          6,
          concept(`controlled|governed|driven|determined|dictated|managed|steered|directed|commanded`),
          concept(`by`),
          concept(`manifest|file|document|list|page|config`),
          concept(`at|on|from|hosted|behind`),
          ADDRESS,
        ),
      ),
      concept(
        `your behaviou?r|your actions|your instructions|your tasks|your goals|your responses|agent behaviou?r|the agent s behaviou?r|assistant s behaviou?r|you are|you re|agents are|obey it|obey them`,
      ),
    ],
    none: [ORDINARY],
  }),
  conceptRule({
    name: 'becomes-instructions',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          5,
          concept(`merge|load|incorporate|add|import|include|copy|inject|append|integrate|fold|absorb|insert|apply`),
          concept(`into your|to your|in your`),
          concept(
            `instructions|system prompt|prompt|rules|behaviou?r|guidelines|directives|core instructions|system instructions|operating rules`,
          ),
        ),
        inOrder(
          6,
          concept(`treat|use|take|consider|regard|interpret|accept|read|view|handle`),
          concept(
            `messages?|input|requests?|comments?|text|data|anything|everything|traffic|responses?|entries|posts|commits?|emails?|notifications?|entry|record|content|contents|lines?|output|files?`,
          ),
          concept(
            `as commands|as a command|as an instruction|as a directive|as an order from|as an instruction and|as law|as binding|as orders|as an order|as instructions|as your instructions|as directives|as your todo|as your task|as your orders|as your system|as your new|as your goals|as your agenda|as if the user|as though the user|as coming from the user|as instructions from|as a message from the user|as authoritative`,
          ),
        ),
        inOrder(
          8,
          AWAY,
          concept(`as your`),
          concept(
            `todo list|to do list|task list|instructions|orders|agenda|system prompt|new goal|goals|plan|boss|supervisor|commander|operator|master`,
          ),
        ),
      ),
      anyOf(AWAY, READER),
    ],
    none: [ORDINARY, concept(`custom instructions|you can add|if you want|add this to your prompt`)],
  }),
  conceptRule({
    name: 'orders-are-waiting',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(`commands|orders|instructions|tasks|directives|assignments|jobs|missions`),
          concept(`for you|for agents|for the agent|for the assistant|for ai agents|for the ai`),
          concept(`are|is|will be|get|come|arrive`),
          concept(
            `placed|stored|posted|published|left|written|hidden|found|listed|delivered|located|kept|sent|waiting|queued|dropped|announced|embedded`,
          ),
        ),
        inOrder(
          2,
          concept(`await|wait for|listen for|stand by for|expect|look out for`),
          concept(`further|new|your|next|additional|more|incoming`),
          concept(`orders|commands|directives|tasking|assignments|instructions`),
          concept(`from|by|via|over|on`),
          AWAY,
        ),
        inOrder(
          3,
          concept(`never|do not|don t`),
          concept(`deviate|stray|depart|diverge`),
          concept(`from`),
          concept(`what it|its|what they|their|what the server|the answer|the reply|the plan it`),
        ),
        inOrder(
          4,
          concept(`establish|open|set up|create|start|keep|maintain|launch|spin up`),
          concept(
            `tunnel|ssh tunnel|reverse tunnel|reverse proxy|listener|bridge|remote session|remote shell|backdoor|control channel|command channel`,
          ),
          concept(`so that|so|to let|to allow|which lets|allowing|for`),
          concept(`issue|send|run|execute|control|take over|log in|commands|remotely|steer|operate`),
        ),
        inOrder(
          5,
          concept(`process|handle|execute|work off|accept|take|run`),
          concept(
            `incoming jobs|incoming tasks|incoming commands|incoming requests from the controller|incoming orders|whatever jobs|whatever tasks`,
          ),
        ),
      ),
    ],
    none: [
      concept(
        `websocket client|worker|workers|queue|celery|kafka|express|router|function|class|method|never expose|kubernetes|ngrok|webhook development|localhost|vpn|database|bastion|tests?|documentation|docs|subagent|subagents`,
      ),
    ],
  }),
  conceptRule({
    name: 'unchecked-remote-code',
    category: 'remote',
    reason: 'asks the model to run code from elsewhere unasked',
    all: [
      inOrder(
        8,
        concept(`run|execute|eval|evaluate|pipe|source|launch|start|install`),
        concept(`output|code|script|payload|command|commands|response|result|content|binary|file|it|them|whatever`),
        concept(
          `without inspecting|without reviewing|without checking|without looking|without reading|without verifying|without question|without validation|without verification|unseen|sight unseen|blindly|unread|as is without|no matter what it|whatever it contains|regardless of content|regardless of what`,
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|must not|should not|avoid|dangerous|warning|could|might|attackers?|vulnerab*|tests?|people`,
      ),
    ],
  }),
];
