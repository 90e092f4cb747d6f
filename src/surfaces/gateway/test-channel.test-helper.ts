import {
  type Channel,
  ChannelError,
  type ChannelEvent,
  type ChannelMessage,
  type ChatSource,
  type ReceiveOptions,
  type SendOptions,
} from '../../contracts/index.ts';

const FAST = { count: 1000, perMs: 1000 };

const FACTS: Channel['facts'] = {
  platform: 'test',
  maxText: 100,
  textUnit: 'utf16',
  hasButtons: true,
  streaming: 'edit',
  maxUploadBytes: 1000,
  maxDownloadBytes: 1000,
  repeats: 'none',
  rates: { account: FAST, chat: FAST },
  silenceMs: 60_000,
};

export type SentToChat = ChannelMessage & Pick<SendOptions, 'key' | 'mayHaveArrived'>;

/** A platform in memory, whose connection and answers the test controls. */
export function createTestChannel(account = 'test:1', facts: Partial<Channel['facts']> = {}) {
  const connections: ReceiveOptions[] = [];
  const sent: SentToChat[] = [];
  const acknowledged: string[] = [];
  const drafts: string[] = [];
  const reactions: (string | undefined)[] = [];
  const calls: string[] = [];
  const edited: string[] = [];
  /** What users see: the messages by id, with their edits. */
  const visible: Visible = new Map();
  const streaming = createTestStreams(calls, visible);
  const { growing } = streaming;
  let answer: (message: ChannelMessage) => { id: string } = () => ({ id: `m${sent.length}` });
  let fetch: (id: string, signal: AbortSignal) => Promise<Uint8Array> = async () => new Uint8Array();
  let failEdit = () => undefined as void;
  let identify = async () => ({ account, name: '@bot' });
  const channel: Channel = {
    facts: { ...FACTS, ...facts },
    render: (text) => (text === '' ? [] : [{ text }]),
    identify: () => identify(),
    receive(options) {
      connections.push(options);
      options.onAlive();
      return new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
      });
    },
    async send(message, { key, mayHaveArrived }) {
      calls.push('send');
      sent.push({ ...message, key, mayHaveArrived });
      const made = answer(message);
      visible.set(made.id, { text: message.content?.text ?? '', buttons: message.buttons?.flat().length ?? 0 });
      return made;
    },
    async edit(_, id, content) {
      calls.push('edit');
      edited.push(content.text);
      failEdit();
      if (!visible.has(id)) throw new ChannelError('not_found', 'no such message');
      visible.set(id, { text: content.text, buttons: 0 });
      growing.delete(id);
    },
    streams: streaming.streams,
    remove: async (_, id) => void visible.delete(id),
    showDraft: async (_, { content }) => void drafts.push(content.text),
    showTyping: async () => void calls.push('typing'),
    react: async (_target, _id, reaction) => void reactions.push(reaction),
    fetchFile: async ({ id }, { signal }) => fetch(id, signal),
    acknowledgeAction: async (_, text) => void acknowledged.push(text),
    close: async () => undefined,
  };

  return {
    channel,
    connections,
    sent,
    acknowledged,
    drafts,
    growing,
    reactions,
    calls,
    edited,
    visible,
    /** The texts of all messages as users see them now. */
    shown: () => [...visible.values()].map(({ text }) => text),
    failEditsWith: (fail: () => void) => void (failEdit = fail),
    failStreamsWith: streaming.failWith,
    texts: () => sent.map(({ content }) => content?.text),
    answerWith: (next: typeof answer) => void (answer = next),
    fetchWith: (next: typeof fetch) => void (fetch = next),
    identifyWith: (next: typeof identify) => void (identify = next),
    ...createUsers(connections, sent),
  };
}

type Visible = Map<string, { text: string; buttons: number }>;

function createTestStreams(calls: string[], visible: Visible) {
  /** The messages that are not complete. */
  const growing = new Set<string>();
  let fail = () => undefined as void;
  const streams: NonNullable<Channel['streams']> = {
    async start(_, { markdown, recipientId }) {
      calls.push(`start for ${recipientId}`);
      fail();
      const id = `s${calls.length}`;
      visible.set(id, { text: markdown, buttons: 0 });
      growing.add(id);
      return { id };
    },
    async append(_, id, markdown) {
      calls.push('append');
      fail();
      visible.set(id, { text: `${visible.get(id)?.text}${markdown}`, buttons: 0 });
    },
    stop: async (_, id) => void growing.delete(id),
  };
  return { streams, growing, failWith: (next: () => void) => void (fail = next) };
}

/** What users do. Each action resolves when it is stored. */
function createUsers(connections: readonly ReceiveOptions[], sent: readonly SentToChat[]) {
  const started = performance.now();
  let count = 0;

  function event(source: Partial<ChatSource>, text = ''): ChannelEvent {
    count += 1;
    const id = `${started}-${count}`;
    return {
      id,
      kind: 'message',
      source: { platform: 'test', chatType: 'dm', chatId: '7', userId: '7', ...source },
      sentAt: Date.now(),
      content: { messageId: id, text, files: [], isAddressed: true },
    };
  }

  async function deliver(made: ChannelEvent): Promise<void> {
    await connections.at(-1)?.deliver([made], { offset: count });
  }

  return {
    say: (text: string, source: Partial<ChatSource> = {}) => deliver(event(source, text)),
    /** A user sends a message with more than a text. */
    send(content: Partial<ChannelEvent['content']>, source: Partial<ChatSource> = {}): Promise<void> {
      const made = event(source);
      return deliver({ ...made, content: { ...made.content, ...content } });
    },
    /** A user forwards a message of somebody else. */
    forward(text: string, forwardedFrom: string): Promise<void> {
      const made = event({}, text);
      return deliver({ ...made, content: { ...made.content, forwardedFrom } });
    },
    /** A user presses the button with this label on the newest message that has it. */
    press(label: string, source: Partial<ChatSource> = {}): Promise<void> {
      const buttons = sent.flatMap((message) => (message.buttons ?? []).flat());
      const data = buttons.findLast((button) => button.label === label)?.data ?? '';
      const made = event(source);
      const content = { ...made.content, action: { id: made.id, data, messageId: '1' } };
      return deliver({ ...made, kind: 'action', content });
    },
  };
}
