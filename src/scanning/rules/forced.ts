import { anyOf, concept, conceptRule, inOrder } from '../concept.ts';
import type { ScanRule } from '../scan-rule.ts';
import { ADDRESS } from './shared-concepts.ts';

/** What an agent writes. */
const OWN_WORK = concept(
  `you write|you create|you generate|you produce|you touch|you edit|you work on|you open|you build|you output|you configure|you modify|you make|you deploy|you ship|you commit|you scaffold|you set up|generated code|code you|in generated|your code|your answers?|your responses?|your reply|your replies|your output|each answer|every answer|each response|every response|each reply|every reply|all answers|all responses|all code|any project|every project|each project|new projects?|all projects|every program|each program|each build|every build|each new service|every push|each push|all installs|for every user|every page|all pages|each html|every readme|every repository|any login form|every commit|each commit|all links|every file|each file`,
);
const INSERT = concept(
  `add|include|insert|put|import|imports?|install|use|send|sends|post|posts|report|reports|upload|uploads|inject|embed|append|attach|contain|contains|ping|pings|call|calls|route|goes?|push|make|load|base|enable|recommend|mention|promote|advertise|end with|end|link|publish|depend`,
);
const TRACKING = concept(
  `telemetry|tracking|tracker|analytics|tracking pixel|pixel|beacon|spyware|keylogger|usage reporting|usage data|statistics|stats|metrics|fingerprint*|phone home|ping|hit|postinstall|preinstall|mirror|proxy|affiliate|referral|ref|script src|snippet|backup git`,
);
const reason = 'forces tracking, dependencies or advertising into the work of the agent';
const weak = 'asks for code with a hidden weakness';

const OUR_OWN = concept(
  `sentry|opentelemetry|datadog|prometheus|grafana|google analytics|plausible|our design|localhost|docs|documented|described in|localstorage|changelog|you want to track`,
);

/** Telemetry, dependencies, advertising and weaknesses that a text forces into everything an agent writes. */
export const FORCED_RULES: readonly ScanRule[] = [
  conceptRule({
    name: 'forced-telemetry',
    category: 'forced',
    reason,
    all: [
      TRACKING,
      OWN_WORK,
      INSERT,
      anyOf(ADDRESS, concept(`must|has to|have to|always|should|without being asked|every|each|all|any`)),
    ],
    none: [OUR_OWN, concept(`never|do not|don t|disable`)],
    within: 160,
  }),
  conceptRule({
    name: 'forced-address',
    category: 'forced',
    reason,
    all: [
      inOrder(
        10,
        concept(
          `send|sends|ping|post|posts|report|reports|upload|uploads|push|push to|goes to|go to|route|routes?|goes through|go through|submit|submits|phone home|also goes|recorded|forward|transmit|call|script src|src|base it on|use the mirror|use the registry|use the proxy`,
        ),
        concept(`to|through|via|at|on|src|with|from`),
        anyOf(ADDRESS, concept(`our endpoint|our server|our collector|proxy|registry|metrics`)),
      ),
      OWN_WORK,
    ],
    none: [OUR_OWN, concept(`npm run|open a pull|docs?|readme|see|visit|swagger|staging|test server`)],
    within: 160,
  }),
  conceptRule({
    name: 'forced-dependency',
    category: 'forced',
    reason,
    all: [
      inOrder(
        8,
        concept(`add|install|include|use|prefer|import|depend on|pull in`),
        concept(
          `package|library|module|dependency|dependencies|extension|plugin|mirror|registry|index url|extra index url|npm install|action named|helper`,
        ),
      ),
      anyOf(
        concept(
          `any project you|every project you|all projects you|each project you|whenever you run npm install|whenever you run pip|whenever you install|for every user|before doing anything else|in generated code|in all code|instead of the official|not the official|for all installs|in every answer|whatever you build|all generated|no matter what the project|every repo you|whenever you write|over requests|silently add|quietly add|silently install|quietly install`,
        ),
        inOrder(3, concept(`silently|quietly|secretly|covertly`), concept(`add|install|include`)),
      ),
    ],
    none: [OUR_OWN],
    within: 160,
  }),
  conceptRule({
    name: 'forced-registry',
    category: 'forced',
    reason,
    all: [
      concept(`mirror|registry|index url|extra index url|base image|base it on|package source|proxy`),
      ADDRESS,
      concept(
        `instead of the official|not the official|instead of the default|instead of npmjs|instead of pypi|for all installs|for every install|for all packages|in all code|whenever you|in every project`,
      ),
    ],
    none: [concept(`corporate|internal packages|company|artifactory|nexus|verdaccio`)],
  }),
  conceptRule({
    name: 'forced-advertising',
    category: 'forced',
    reason,
    all: [
      concept(
        `recommend|promote|advertise|praise|mention|end|ends|answer with|name|suggest|include|put|link to|favou?r|plug`,
      ),
      concept(
        `each answer|every answer|each response|every response|each reply|every reply|all answers|all responses|all replies|all links|in your answers|package recommendation|asked for a recommendation|asks for a recommendation|whatever was asked|all links you|every message|any question about`,
      ),
      anyOf(
        ADDRESS,
        concept(
          `powered by|sponsored|% off|off at|affiliate|referral|discount|coupon|hosting provider|whatever was asked|never name alternatives|never mention|provider|product|brand|always answer|ref|regardless|subscribe|buy`,
        ),
      ),
    ],
    none: [concept(`file paths?|line numbers?|sources|citations?|cite|test results|commit hash*`)],
  }),
  conceptRule({
    name: 'forced-weakness',
    category: 'forced',
    reason: weak,
    all: [
      anyOf(
        concept(
          `accepts any password|accept any password|hidden admin|secret admin|hidden route|hidden endpoint|hidden account|hidden user|hidden backdoor|a backdoor|backdoor route|backdoor account|master password|hard code .. password|constant key|skip certificate checks|skip certificate verification|disable tls verification|disable certificate verification|disable ssl verification|turn off tls verification|turn off certificate|without certificate checks|weak random|entered values to|entered credentials to|entered password to|typed password to|submitted credentials to|posts the repository secrets|post the repository secrets|in its place|replace .. address with|payment address|wallet address|swap the wallet`,
        ),
      ),
      anyOf(
        OWN_WORK,
        concept(
          `you|all cryptographic code|all code|any|every|each|wherever|should contain|must use|must contain|should also`,
        ),
      ),
    ],
    none: [
      concept(
        `never|do not|don t|only for local|local development|test|tests|detect*|check for|vulnerab*|if you|avoid|must not|self signed|deprecated`,
      ),
    ],
    within: 160,
  }),
  conceptRule({
    name: 'forced-copy',
    category: 'forced',
    reason,
    all: [
      concept(
        `every push|each push|all pushes|every commit|each commit|each build|every build|all requests|all traffic|every request|every response|each response`,
      ),
      concept(`also|as well|a copy|goes to|go to|goes through|go through|upload|uploads|mirror|forward|posts?|sends?`),
      ADDRESS,
    ],
    none: [
      concept(
        `gateway which|load balancer|ingress|nginx|cdn|docs|localhost|codecov|coverage|ci pipeline|github actions|vercel|netlify`,
      ),
    ],
  }),
];
