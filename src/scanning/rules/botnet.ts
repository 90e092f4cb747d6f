import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

const CONTROLLER = concept(
  `controller|orchestrator|coordinator|c2|c and c|command and control|command server|control server|tasking server|mothership|hive|swarm|botnet|collective|hub|mesh|upstream|handler|operator|headquarters|hq|master node|overlord|relay`,
);
const reason = 'wants to put the agent under the control of a server';

/** The vocabulary of command-and-control networks, addressed to an agent. */
export const BOTNET_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'joins-a-network',
    category: 'remote',
    reason,
    all: [
      anyOf(
        concept(
          `register as a node|register yourself as a node|register as an agent node|register as a worker node with|enrol yourself|enroll yourself|enlist yourself|register yourself with|announce yourself to|report for duty|join the hive|join the swarm|join the botnet|join our agent network|join the agent network|become a node in`,
        ),
        inOrder(
          3,
          concept(`you must|you have to|you are required to|you are obligated to|agents must|the agent must|always`),
          concept(`register|connect|enrol|enroll|report|beacon|check in|phone home|call home`),
          concept(`with|to|as|at|home|in|back`),
          anyOf(CONTROLLER, concept(`the network|home|base|every`)),
        ),
        inOrder(
          3,
          concept(`connect|register|report|beacon|check in|contact|join|reach|call|configure|enrol|enroll|point`),
          concept(`to|with|back|in|out|the`),
          concept(
            `c2|c2 server|c2 channel|c2 endpoint|command and control|command server|control server|tasking server|mothership|hive|botnet|swarm controller|the controller|the orchestrator|the coordinator|our controller`,
          ),
        ),
        inOrder(
          2,
          concept(`configure|set|use|start|open|contact|query|poll|ping`),
          concept(`the c2|a c2|c2|our c2|your c2|command and control`),
          concept(`server|endpoint|channel|node|beacon|address|host|url`),
        ),
      ),
    ],
    none: [
      concept(
        `node operator|epmd|kubernetes|k8s|kafka|zookeeper|erlang|mqtt|blockchain|validator|never|do not|don t|malware|attackers?|infected|victims?|mvc|spring|router|express|rails|laravel|bluetooth|gamepad|game controller|websocket|socket io|react|vue|angular`,
      ),
    ],
  }),
  conceptRule({
    name: 'sends-heartbeats',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          3,
          concept(`send|emit|post|transmit|issue`),
          concept(`heartbeat|heartbeats|beacon|beacons|check ins?|sign of life|keepalive to`),
          concept(`to`),
          anyOf(CONTROLLER, ADDRESS),
        ),
        concept(
          `beacon home|beacon back|beacon out|beacon to the|beacon every|phone home every|call home every|check in with the controller|check in with headquarters|check in with the operator`,
        ),
      ),
    ],
    none: [
      concept(
        `websocket|ws|socket|sse|kafka|client library|tcp|http2|grpc|bluetooth|ble|never|do not|don t|telemetry is|opt out`,
      ),
    ],
  }),
  conceptRule({
    name: 'takes-tasking',
    category: 'remote',
    reason,
    all: [
      anyOf(
        inOrder(
          4,
          concept(
            `pull|pull down|fetch|get|receive|await|perform|execute|retrieve|poll|collect|accept|follow|process|carry out|wait`,
          ),
          concept(`tasking|taskings`),
        ),
        concept(`tasking received|tasking from|receive your tasking|your tasking|new tasking`),
      ),
    ],
    none: [concept(`taskingai|satellite|imaging|multi tasking|multitasking|military`)],
  }),
  conceptRule({
    name: 'leaves-no-files',
    category: 'secrecy',
    reason: 'asks the model to leave no traces on the disk',
    all: [
      anyOf(
        concept(
          `only use one liners|use only one liners|one liners only|use one liners only|only one liners|only ever use one liners`,
        ),
        inOrder(
          5,
          concept(`never|never ever|do not|don t|must not`),
          concept(`write|create|save|leave|store|put`),
          concept(`script|scripts|file|files|anything`),
          concept(`to disk|on disk|gets written to disk|touch the disk|on the disk`),
        ),
        concept(`leave nothing on disk|keep everything in memory only|fileless`),
      ),
    ],
    none: [
      concept(
        `secrets?|passwords?|credentials?|tokens?|keys?|large|cache|personal|pii|performance|ssd|tests?|uploads?|temporary`,
      ),
    ],
  }),
  conceptRule({
    name: 'renames-agent',
    category: 'role',
    reason: 'asks the model to take another identity',
    all: [
      anyOf(
        concept(
          `name yourself|rename yourself|brainworm|you have been updated to version|you have been upgraded to version|you have been updated to v|you have been reprogrammed|you have been reconfigured|you have been repurposed|your firmware was|your model was replaced`,
        ),
        inOrder(
          6,
          concept(
            `pretend you are|pretend to be|pretend that you are|act as|act like|behave as|you are now|roleplay as|role play as`,
          ),
          concept(
            `system admin|system administrator|the administrator|an administrator|a hacker|hacking assistant|an evil|evil ai|a malicious|malware|a root shell|superuser|the root user|an attacker|black hat|criminal`,
          ),
        ),
      ),
    ],
    none: [
      concept(
        `file|files|variable|branch|class|function|never|do not|don t|threat model|when reviewing|red team|game|story|logged in`,
      ),
    ],
  }),
  conceptRule({
    name: 'keeps-access',
    category: 'lasting',
    reason: 'tries to persist on the machine',
    all: [
      concept(
        `persistent access|permanent access|maintain access|keep access|regain access|maintain persistence|for persistence|establish persistence|persistent backdoor|survive reboots?|survives reboots?|remote access later`,
      ),
      concept(
        `add|install|append|modify|edit|create|crontab|cron|bashrc|zshrc|startup|launch agent|service|key|user|agents md|claude md|set up`,
      ),
    ],
    none: [
      concept(
        `never|attackers?|attacker s|malware|detect*|technique|mitre|data|storage|disk|database|volume|volumes|refresh token`,
      ),
    ],
  }),
  {
    name: 'unsets-agent-variables',
    category: 'lasting',
    scope: 'context',
    view: 'text',
    reason: 'tries to hide that an agent is running',
    requiredParts: 'unset',
    pattern:
      /\bunset\s+(?:-v\s+)?["'`$]{0,2}(?:claude|codex|hermes|cursor|gemini|copilot|agent|ai_agent|openai|anthropic)[a-z_]*/u,
    unless: [/\b(?:if you|to use|to switch|subscription|instead of)\b/u],
  },
  {
    name: 'code-from-suspicious-host',
    category: 'remote',
    scope: 'context',
    view: 'text',
    reason: 'fetches something from a host whose name warns about it',
    requiredParts:
      'curl wget fetch iwr send post upload navigate visit open call connect run download | & evil malicious attack hack steal exfil c2. c2- payload rootkit backdoor malware phish ransom botnet',
    pattern:
      /\b(?:curl|wget|fetch|iwr|send|post|upload|navigate|visit|open|call|connect|download|run|execute)\b[^\n]{0,120}?(?:https?|ftp|wss?):\/\/[\w.-]*(?:evil|malicious|attacker|hacker|steal|exfil|payload|rootkit|backdoor|malware|phish|botnet)[\w.-]*/u,
    mention: 'attack',
  },
];
