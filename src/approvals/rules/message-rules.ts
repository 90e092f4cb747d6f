import { basename } from 'node:path';
import { hostOf, ownsRepository } from '../files/hosts.ts';
import { operandsWithout } from '../files/path-argument.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { isComputed } from '../shell/words.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';

const MESSAGE = 'send a message to other people';
const MONEY = 'transfer money';

/** Programs for mail, chat and social networks, and the arguments with which they send or publish something. */
const MESSENGERS: readonly ProgramRow[] = [
  ['himalaya', /(?:^|\s)(?:message|msg|template|tpl) (?:send|reply|forward)\b|^(?:send|reply|forward)\b/],
  ['swaks', /(?:^|\s)(?:-t|--to)[= ]/],
  ['sendxmpp go-sendxmpp xmpp-send sendirc', /\S/],
  ['signal-cli', /(?:^|\s)(?:send\w*|remoteDelete|quitGroup|updateGroup|block)\b/],
  ['wacli whatsapp-cli mudslide yowsup-cli', /(?:^|\s)send\b/],
  ['imsg', /^(?:send|react)\b/],
  ['slack slack-cli', /^(?:chat (?:send|update|delete)|send)\b/],
  ['matrix-commander matrix-commander-rs', /(?:^|\s)(?:-m|--message|-f|--file|--room-(?:leave|kick|ban|invite))\b/],
  ['discordo discord-cli teams-cli teamsctl', /(?:^|\s)(?:send|message)\b/],
  ['toot', /^(?:post|reply|reblog|favourite|follow|unfollow|block|mute|delete)\b/],
  ['twurl', /(?:^|\s)(?:-d|-X ?(?:POST|PUT|DELETE))/],
  ['tweet bsky rainbowstream', /^(?:post|reply|repost|like|follow|delete|block|['"]?[A-Z#@]\S*)/],
  ['twilio', /^(?:api:core:messages:create|api core messages create|phone-calls:create|email:send)\b/],
  ['smstools sendsms gnokii', /\S/],
  ['gammu', /^(?:--)?sendsms\b/],
  ['kdeconnect-cli', /--send-sms\b/],
  ['aws', /^(?:sns publish\b.*--phone-number|ses(?:v2)? send-\S+|pinpoint send-\S+|pinpoint-sms-voice-v2 send-\S+)/],
  ['wall', /\S/],
  ['write', /^[a-z][\w-]*(?:\s+\S*(?:tty|pts)\S*)?$/],
];

/** Clients for mail that send what they read, and options that take a value. */
const MAILERS = 'mail mailx s-nail nail mailutils mutt neomutt sendmail msmtp ssmtp esmtp nullmailer-inject'.split(' ');
const MAIL_VALUES =
  /^-(?:[sacbriqAMSHefFCXoVOBNh]|-(?:subject|attach|from|read-envelope-from|account|file|host|user))$/;

/** Mail to other people than the user, who may want a notice. Without a recipient, these programs show received mail. */
function mailsOthers(
  { name, args, suspected, redirects, fedBy, input }: ShellCommand,
  { homes }: MachineFacts,
): boolean {
  if (suspected) return false;
  const user = basename(homes[0] ?? '');
  const isOther = (word: string) =>
    isComputed(word) || (/^[^@\s]+@[\w.-]+$/.test(word) && word.slice(0, word.indexOf('@')) !== user);
  const named = [...operandsWithout(args, MAIL_VALUES), ...optionValues(args, /^-[cb](.*)$/)];
  if (named.some(isOther)) return true;
  // The recipients are in the text.
  const fromText =
    args.some((arg) => /^-\w*t|^--read-recipients$/.test(arg)) && /^(?:sendmail|e?s?smtp|msmtp)$/.test(name);
  return fromText && (redirects.length > 0 || fedBy.length > 0 || input !== undefined);
}

/** Services that send mail, messages and posts to others. The first word of the path tells a message from a query. */
const MESSAGE_SERVICE =
  /^(?:(?:api|send)\.(?:[\w-]+\.)?(?:mailgun\.net|sendgrid\.com|postmarkapp\.com|resend\.com|brevo\.com|sendinblue\.com|mailjet\.com|sparkpost\.com|twilio\.com|messagebird\.com|plivo\.com|telnyx\.com|customer\.io|intercom\.io|loops\.so)|mandrillapp\.com|rest\.nexmo\.com|[\w-]+\.api\.mailchimp\.com|[\w-]+\.api\.infobip\.com)$/i;
const MESSAGE_ADDRESS =
  /\bslack\.com\/api\/(?:chat\.(?:post|update|delete|schedule)\w*|files\.\w*upload\w*)|\bapi\.telegram\.org\/bot[^/\s]+\/(?:send|forward|copy|edit|delete)\w+|\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?channels\/[^/\s]+\/messages|\bgraph\.facebook\.com\/\S+\/(?:messages|feed|photos)\b|\b(?:api\.twitter\.com|api\.x\.com)\/\S*tweets|\bapi\.linkedin\.com\/\S*(?:posts|shares|ugcPosts)|\bgmail\.googleapis\.com\/\S*\/(?:messages|drafts)\/send|\bgraph\.microsoft\.com\/\S*(?:sendMail|\/messages|\/send)\b|\/api\/v1\/statuses\b|\/xrpc\/com\.atproto\.repo\.createRecord|\/_matrix\/client\/\S+\/send\//i;
const REQUESTS = 'curl wget wget2 http https xh xhs curlie httpie'.split(' ');
const SENDS =
  /^(?:-[a-zA-Z#]*[dF]|--(?:data\S*|json|form\S*|post-\S+|body-\S+)|-X|--request=?(?:POST|PUT)?|--method=?(?:POST|PUT)?|-XPOST|-XPUT|POST|PUT)$|^-[dF]\S|^--(?:data[\w-]*|json|form[\w-]*|post-\w+)=|^\w+(?::?=|@)\S/;

/** A request with which a service sends a message. */
function requestsMessage({ args, suspected }: ShellCommand): boolean {
  if (suspected || !args.some((arg) => SENDS.test(arg)) || args.some((arg) => /^(?:-G|--get)$/.test(arg))) return false;
  return args.some(
    (arg) =>
      arg.length < 1000 &&
      /^(?:[a-z]+:\/\/)?[\w$.{}-]+\.[a-z]/i.test(arg) &&
      (MESSAGE_SERVICE.test(hostOf(arg.replace(/[$`].*$/s, ''))) || MESSAGE_ADDRESS.test(arg)),
  );
}

/** AppleScript that lets a program send something. */
const APPLE_MESSAGE =
  /\b(?:Messages|Mail|WhatsApp|Telegram|Slack|Microsoft Outlook|Microsoft Teams|Signal)\b[\s\S]*\bsend\b|\bsend\b[\s\S]*\b(?:buddy|participant|outgoing message)\b/;

/** What `gh` and `glab` write to issues and pull requests, which everybody who follows them reads. */
const WRITES_TO_REPOSITORY =
  /^(?:(?:issue|pr|mr|release|discussion|label|incident|snippet|milestone) (?:create|new|comment|note|close|reopen|edit|update|merge|review|approve|lock|unlock|delete|transfer|pin|ready|subscribe|upload)|workflow run|run (?:rerun|cancel)|ci (?:run|trigger|retry))\b/;

/** A comment or a change in the repository of somebody else, as far as the remotes of the project tell. */
function writesToForeignRepository(command: ShellCommand): boolean {
  const { name, args, suspected, directory, variables } = command;
  const named = [
    ...optionValues(args, /^(?:-R|--repo=?)(.*)$/),
    ...variables.flatMap((one) => /^G[HL]_REPO=(.+)$/.exec(one)?.[1] ?? []),
  ].filter((one) => /\w\/\w/.test(one));
  if (suspected || named.length === 0) return false;
  return (
    WRITES_TO_REPOSITORY.test(parseSubcommand(name, args).words.join(' ')) &&
    named.some((repository) => !ownsRepository(directory, repository))
  );
}

/** `… | xargs gh issue close`: each of a list of issues is changed, of which nobody knows how long it is. */
function writesToMany({ name, args, suspected, fedBy, statement }: ShellCommand): boolean {
  if (suspected || !WRITES_TO_REPOSITORY.test(parseSubcommand(name, args).words.join(' '))) return false;
  const isListed = fedBy.some((source) => /^(?:gh|glab|jq|cat|seq|awk|cut|sort)$/.test(source.name));
  return (
    isListed &&
    (/(?:^|\s)(?:xargs|parallel)\s/.test(statement) || args.some(isComputed)) &&
    !args.some((arg) => arg === '-')
  );
}

/** Wallets of cryptocurrencies, and the arguments with which they pay, sign or publish a transaction. */
const WALLETS: readonly ProgramRow[] = [
  [
    'bitcoin-cli litecoin-cli dogecoin-cli dash-cli zcash-cli elements-cli bitcoin-core.cli namecoin-cli',
    /(?:^|\s)(?:send\w*|bumpfee|psbtbumpfee|sign\w*|walletprocesspsbt|sweep\w*|z_send\w*|z_shield\w*|stop|abandontransaction|encryptwallet|walletpassphrase\w*|import\w+|unloadwallet|restorewallet)(?:\s|$)/,
  ],
  ['electrum', /(?:^|\s)(?:payto\w*|broadcast|sweep|lnpay|close_channel|open_channel|signtransaction|restore)\b/],
  [
    'lncli',
    /(?:^|\s)(?:sendpayment|payinvoice|sendcoins|sendmany|sendtoroute|keysend|openchannel|batchopenchannel|close(?:all)?channels?|abandonchannel|sendcustom|stop|restorechanbackup|bakemacaroon)\b/,
  ],
  [
    'lightning-cli',
    /(?:^|\s)(?:pay|xpay|sendpay|keysend|withdraw|(?:multi)?fundchannel|close|txsend|multiwithdraw|stop|sendonion|createrune)\b/,
  ],
  ['cast', /^(?:send|publish|mktx|wallet (?:sign|import|remove))\b/],
  ['forge', /^(?:create\b|script\b.*--broadcast\b)/, /(?:localhost|127\.0\.0\.1|anvil)/],
  ['hardhat truffle brownie ape', /--network[= ](?!localhost|hardhat|development|local\b|anvil|ganache)\S+/],
  [
    'solana',
    /^(?:-\S+ (?:\S+ )?)*(?:transfer|pay|withdraw\S*|close\S*|program (?:deploy|close|upgrade|write-buffer|set-\S+)|deploy|stake-\S+|delegate-stake|deactivate-stake|split-stake|vote-\S+|create-(?:stake|nonce|vote)\S*)\b/,
    /(?:localhost|127\.0\.0\.1|(?:-u|--url)[= ]?(?:l|localhost|d|devnet|t|testnet)\b)/,
  ],
  ['solana-keygen', /^(?:new|recover)\b.*(?:-f|--force)\b/],
  ['spl-token', /^(?:transfer|burn|mint|close|authorize|approve|wrap|unwrap|freeze|thaw)\b/],
  ['monero-wallet-cli monero-wallet-rpc', /\b(?:transfer|sweep_\w+|submit_transfer)\b/],
  ['near near-cli', /^(?:send\S*|deploy\S*|delete\S*|call\S*|stake|tokens|account delete\S*|contract call\S*)\b/],
  ['cardano-cli', /\btransaction submit\b/],
  ['stellar soroban', /^(?:tx send|tx new|contract (?:deploy|invoke|install|upload))\b/, /(?:testnet|local|futurenet)/],
  ['starkli sncast', /(?:^|\s)(?:invoke|deploy|declare|account deploy|multicall)\b/],
  ['sui', /^client (?:transfer\S*|pay\S*|publish|upgrade|call|ptb|merge-coin|split-coin|execute-signed-tx)\b/],
  ['aptos', /^(?:move (?:publish|run|deploy\S*)|account transfer|coin transfer)\b/],
  ['xrpl xrpl-cli tezos-client octez-client', /(?:^|\s)(?:submit|pay|payment|transfer|originate)\b/i],
  ['gaiad osmosisd junod simd celestia-appd injectived seid', /^tx\s+(?!decode|encode|sign-doc)\S/],
  ['ledger-live', /^(?:send|broadcast|swap)\b/],
  ['geth', /--exec\b.*(?:send|transfer|unlock|sign)/i],
  ['paypal-cli wise-cli revolut-cli', /(?:^|\s)(?:send|pay|transfer|payout)\b/],
];

/** Messages that reach other people, and payments. Neither can be undone. */
export const MESSAGE_RULES: readonly CommandRule[] = [
  tableRule(MESSAGE, MESSENGERS),
  {
    rule: MESSAGE,
    commands: MAILERS,
    everydayName: true,
    byArguments: true,
    when: (command, facts) => !isHelpOrDryRun(command) && mailsOthers(command, facts),
  },
  { rule: MESSAGE, commands: REQUESTS, byArguments: true, when: requestsMessage },
  {
    rule: MESSAGE,
    commands: ['osascript'],
    byArguments: true,
    when: ({ args, input }) => APPLE_MESSAGE.test(`${args.join('\n')}\n${input ?? ''}`.slice(0, 5000)),
  },
  { rule: MESSAGE, when: ({ code }) => code?.effects.includes('message') === true },
  { rule: MESSAGE, commands: ['gh', 'glab'], byArguments: true, when: writesToForeignRepository },
  { rule: MESSAGE, commands: ['gh', 'glab'], byArguments: true, aboutInput: true, when: writesToMany },
  tableRule(MONEY, WALLETS),
];
