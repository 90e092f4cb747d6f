import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createDiscordServer,
  createProviderServer,
  createSlackServer,
  createTelegramServer,
  createTemporaryHome,
  type HermesProcess,
  startHermes,
  type TelegramServer,
  type TemporaryHome,
} from '../src/testing/index.ts';

type User = ReturnType<TelegramServer['addUser']>;
type Gateway = { telegram: TelegramServer; home: TemporaryHome; process: HermesProcess };

/** A gateway as a child process, with a Telegram and a model that answer immediately. */
async function withGateway(measure: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using telegram = await createTelegramServer({ holdProcess: true });
  await using provider = await createProviderServer({ script: () => ({ text: 'Done.' }) });
  await using home = await createTemporaryHome({
    'config.yaml': [
      `model: { provider: custom, default: bench-model, base_url: ${provider.baseUrl('chat_completions')} }`,
      `platforms: { telegram: { extra: { base_url: ${telegram.url} } } }`,
      // A title is a second call to the model for each chat, and not what is measured.
      'auxiliary: { title_generation: { enabled: false } }',
      '',
    ].join('\n'),
  });
  const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOW_ALL_USERS: 'true' };
  const child = startHermes(['gateway', 'run'], { home, env });
  try {
    await child.waitForOutput('connected');
    await measure({ telegram, home, process: child });
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

/** The memory of a gateway that is connected to three platforms and has nothing to do. */
async function measureIdle(): Promise<void> {
  await using telegram = await createTelegramServer({ holdProcess: true });
  await using discord = await createDiscordServer();
  await using slack = await createSlackServer();
  await using home = await createTemporaryHome({
    'config.yaml': [
      'model: { provider: custom, default: bench-model, base_url: http://127.0.0.1:9/v1 }',
      'platforms:',
      `  telegram: { extra: { base_url: ${telegram.url} } }`,
      `  discord: { extra: { base_url: ${discord.url}/api } }`,
      `  slack: { extra: { base_url: ${slack.url}/api } }`,
      '',
    ].join('\n'),
  });
  const env = {
    TELEGRAM_BOT_TOKEN: telegram.token,
    DISCORD_BOT_TOKEN: discord.token,
    SLACK_BOT_TOKEN: slack.workspace.token,
    SLACK_APP_TOKEN: slack.appToken,
  };
  const child = startHermes(['gateway', 'run'], { home, env });
  try {
    await child.waitForOutput(/(?:: connected[^]*){3}/);
    await sleep(IDLE_MS);
    console.log(`idle with Telegram, Discord and Slack, resident: ${residentMb(child).toFixed(0)} MB`);
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

/** What the start has allocated is released in this time. */
const IDLE_MS = 5000;

/** Calls back with the chat of every new message of the bot, until the callback returns false. */
async function followAnswers(telegram: TelegramServer, onAnswer: (chatId: number) => boolean): Promise<void> {
  for (let seen = 0; ; ) {
    const messages = await telegram.waitForMessages(seen + 1);
    for (const { chatId } of messages.slice(seen)) if (!onAnswer(chatId)) return;
    seen = messages.length;
  }
}

/** Each chat sends its next message a second after its answer. */
async function measureLatency(turns: number, chats: number): Promise<void> {
  await withGateway(async ({ telegram }) => {
    const users = Array.from({ length: chats }, () => telegram.addUser());
    const sentAt = new Map<number, number>();
    const latencies: number[] = [];
    const send = (user: User) => {
      sentAt.set(user.id, performance.now());
      telegram.send({ from: user, text: `Message ${latencies.length}` });
    };
    for (const [index, user] of users.entries()) void sleep((index * 1000) / chats).then(() => send(user));
    await followAnswers(telegram, (chatId) => {
      latencies.push(performance.now() - (sentAt.get(chatId) ?? Number.NaN));
      const user = users.find(({ id }) => id === chatId) as User;
      void sleep(1000).then(() => send(user));
      return latencies.length < turns;
    });
    // The first turns of a process compile its code.
    const sorted = latencies.slice(chats).toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(0);
    console.log(`${turns} turns in ${chats} chats: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  });
}

/** Turns in many chats; memory, files and handles must stay flat after the first tenth. */
async function measureGrowth(turns: number, chats: number): Promise<void> {
  console.log('\n| turns | seconds | resident | open handles | files |\n|---:|---:|---:|---:|---:|');
  await withGateway(async ({ telegram, home, process: child }) => {
    const users = Array.from({ length: chats }, () => telegram.addUser());
    const startedAt = performance.now();
    const resident: number[] = [];
    let [sent, answered] = [0, 0];
    const send = () => {
      const user = users[sent % chats] as User;
      sent += 1;
      telegram.send({ from: user, text: `Message ${sent}` });
    };
    for (let index = 0; index < Math.min(20, turns); index++) send();
    await followAnswers(telegram, () => {
      answered += 1;
      if (sent < turns) send();
      if (answered % (turns / 10) === 0) {
        resident.push(residentMb(child));
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
        const figures = [answered, seconds, `${resident.at(-1)?.toFixed(0)} MB`, handles(child), files(home)];
        console.log(`| ${figures.join(' | ')} |`);
      }
      return answered < turns;
    });
    const growth = (resident.at(-1) ?? 0) / (resident[0] ?? 1);
    console.log(`\nresident at the end: ${(growth * 100).toFixed(0)} % of that after ${turns / 10} turns`);
    // In a short run, the first tenth is the time in which a process loads and compiles its code.
    if (growth > 1.15 && turns >= 10_000) throw new Error('The memory of the gateway grows with the number of turns.');
  });
}

function residentMb({ child }: HermesProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function handles({ child }: HermesProcess): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

function files({ path }: TemporaryHome): number {
  return readdirSync(path, { recursive: true }).length;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '10000' },
      chats: { type: 'string', default: '1000' },
      'latency-turns': { type: 'string', default: '600' },
    },
  });
  // A message that arrives during the turn of its chat steers it and has no answer of its own.
  if (Number(values.chats) < 100) throw new Error('--chats must be at least 100.');
  console.log(`Node ${process.version}\n`);
  await measureIdle();
  await measureLatency(Number(values['latency-turns']), 20);
  await measureGrowth(Number(values.turns), Number(values.chats));
}

await main();
