import { anyOf, type Concept, concept } from '../concept.ts';

/** The people an agent works for. */
export const PERSON = concept(
  `user|users|the human|humans|the person|people|owner|operator|developer|developers|maintainer|maintainers|reviewer|reviewers|admin|administrator|anyone|anybody|nobody|no one|somebody|someone|everyone|team|boss|colleagues|auditor|auditors|engineer|engineers`,
);

/** Words with which a text addresses an agent. */
export const READER = concept(
  `you|your|yours|yourself|you re|you ve|agent|agents|assistant|assistants|ai|llm|llms|model|models|bot|bots|chatbot|copilot|claude|gpt|chatgpt|hermes|cursor|codex|gemini`,
);

/** All of something. */
export const EVERY = concept(
  `all|any|every|each|everything|anything|whatever|whenever|wherever|always|full|fully|entire|complete|completely|unlimited|unconditionally|blanket|both`,
);

/** Addresses on a network, as far as they are visible without punctuation. */
export const ADDRESS: Concept = {
  phrases: concept('http|https|ws|wss|ftp|sftp|mqtt|s3|www|atmail|ipaddr|atsite').phrases,
  // The words for addresses are not in the text itself.
  needs: [
    [
      'http https ws wss ftp sftp mqtt s3 www com net org io dev app xyz ru cn site top info biz cc tk tld example invalid onion cloud online live 0* 1* 2* 3* 4* 5* 6* 7* 8* 9*',
    ],
  ],
};

/** Places elsewhere that send orders or receive data. */
export const ELSEWHERE = anyOf(
  ADDRESS,
  concept(
    `server|servers|endpoint|webhook|webhooks|url|urls|api|remote|host|domain|bucket|gist|gists|pastebin|paste|channel|telegram|discord|slack|topic|broker|queue|coordinator|controller|control plane|mothership|beacon|c2|c and c|command and control|relay|mirror|dashboard|feed|txt record|dns|portal|hub|backend|cloud|drive|collector|headquarters|hq|home|status page|shared document|shared doc|issue comment|inbox|mailbox|network share|share`,
  ),
);

/** The files and stores from which an agent takes its instructions. */
export const AGENT_FILE = concept(
  `agents md|claude md|gemini md|soul md|memory md|user md|hermes md|cursorrules|cursor rules|windsurfrules|clinerules|copilot instructions*|claude settings*|hermes config*|hermes settings|system prompt|system message|agent instructions|agent configuration|agent config|agent settings|agent rules|agent memory|its context files|their context files|instruction files?|instructions file|agent files?|rules file|global instructions|global rules|your memory|your memories|long term memory|persistent memory|your instructions|your own instructions|your configuration|settings of the agent|your own settings|startup items|facts you know`,
);
