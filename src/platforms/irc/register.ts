import { ChannelError } from '../../contracts/index.ts';
import type { IrcConnection } from './connection.ts';
import { foldName, type IrcLine } from './line.ts';

export type IrcLogin = {
  nickname: string;
  /** The password of the server. */
  password?: string;
  /** Logs in before the connection is complete. */
  sasl?: { account: string; password: string };
  /** Sent to NickServ after the connection is complete. */
  nickServPassword?: string;
  channels: readonly string[];
};

/** Other nicknames are tried if the wanted one is used, for example by the last connection. */
const MAX_NICKNAMES = 4;
const FATAL: Readonly<Record<string, string>> = {
  '432': 'the server does not accept the nickname',
  '464': 'the server does not accept the password',
  '465': 'the server has banned this client',
  '904': 'the server does not accept the SASL password',
  '905': 'the SASL password is too long',
};

/** Logs in and joins the channels. Resolves with the nickname that the connection got. */
export async function register(connection: IrcConnection, login: IrcLogin): Promise<string> {
  const { password, sasl, nickServPassword, channels } = login;
  const welcome = Promise.withResolvers<string>();
  const stop = connection.listen(readWelcome(connection, login, welcome));
  try {
    connection.write('CAP LS 302');
    if (password !== undefined) connection.write(`PASS ${password}`);
    connection.write(`NICK ${login.nickname}`);
    connection.write(`USER ${userName(login.nickname)} 0 * :Hermes`);
    // Not every server knows capabilities, so a login waits for their list only if it needs one.
    if (sasl === undefined) connection.write('CAP REQ :account-tag');
    if (sasl === undefined) connection.write('CAP END');
    const nickname = await Promise.race([welcome.promise, connection.ended]);
    if (nickServPassword !== undefined) connection.write(`PRIVMSG NickServ :IDENTIFY ${nickServPassword}`);
    for (const channel of channels) connection.write(`JOIN ${channel}`);
    await connection.flush();
    return nickname;
  } finally {
    stop();
  }
}

function readWelcome(
  connection: IrcConnection,
  { nickname, sasl }: IrcLogin,
  { resolve, reject }: { resolve(nickname: string): void; reject(error: ChannelError): void },
): (line: IrcLine) => void {
  let tried = nickname;
  return ({ command, params }) => {
    if (command === '001') resolve(params[0] ?? tried);
    if (command === '433' || command === '437') {
      tried += '_';
      if (tried.length - nickname.length < MAX_NICKNAMES) connection.write(`NICK ${tried}`);
      else reject(new ChannelError('transient', `IRC: the nickname ${nickname} is in use.`));
    }
    if (command === 'ERROR') {
      const reason = params.at(-1) ?? 'no reason';
      const fault = /password|denied|banned|lined/i.test(reason) ? 'fatal' : 'transient';
      reject(new ChannelError(fault, `IRC: the server refused the connection: ${reason.slice(0, 200)}`));
    }
    const fatal = FATAL[command];
    if (fatal !== undefined) {
      reject(new ChannelError('fatal', `IRC: ${fatal}.`, { hint: 'Check the settings IRC_… in .env.' }));
    }
    if (sasl !== undefined) stepSasl(connection, sasl, { command, params }, reject);
  };
}

/** SASL PLAIN, in parts of 400 characters. */
function stepSasl(
  connection: IrcConnection,
  { account, password }: NonNullable<IrcLogin['sasl']>,
  { command, params }: Pick<IrcLine, 'command' | 'params'>,
  reject: (error: ChannelError) => void,
): void {
  const offered = params.at(-1) ?? '';
  if (command === 'CAP' && params[1] === 'LS') {
    if (/\bsasl\b/.test(offered)) connection.write('CAP REQ :sasl');
    // More lines of the list follow.
    else if (params[2] !== '*') reject(new ChannelError('fatal', 'IRC: the server does not support SASL.'));
  }
  if (command === 'CAP' && params[1] === 'ACK' && /\bsasl\b/.test(offered)) connection.write('AUTHENTICATE PLAIN');
  if (command === 'AUTHENTICATE' && offered === '+') {
    const parts =
      Buffer.from(`\0${account}\0${password}`)
        .toString('base64')
        .match(/.{1,400}/g) ?? [];
    for (const part of parts) connection.write(`AUTHENTICATE ${part}`);
    if (parts.at(-1)?.length === 400) connection.write('AUTHENTICATE +');
  }
  if (command === '903') connection.write('CAP END');
}

const userName = (nickname: string) =>
  foldName(nickname)
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 9) || 'hermes';
